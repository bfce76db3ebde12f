// Put in front of TensorBoard's front end: what front_end.py makes the front end hand out is kept here, by tag.

window.__heard = {
  charts: {},
  hoverViews: {},
  scales: {},
  smooth: null,
  extents: null,

  tagAround(inside) {
    return inside.closest('scalar-card-component').querySelector('.tag').getAttribute('title');
  },

  drawn(chart, extent) {
    this.scales[chart.yScaleType] = chart.yScale;
    this.charts[this.tagAround(chart.seriesView.nativeElement)] =
      {chart, extent, ignored: chart.ignoreYOutliers, scale: chart.yScaleType};
  },

  hovered(view) {
    this.hoverViews[this.tagAround(view.dotsContainer.nativeElement)] = view;
  },

  // What record.py asks for.

  written({chart}) {
    return chart.seriesData.filter(({id}) => !id.startsWith('["smoothed"'));
  },

  points() {
    const series = Object.values(this.charts).flatMap((heard) => this.written(heard));
    return series.reduce((sum, {points}) => sum + points.length, 0);
  },

  drawnAs(scale, ignored) {
    return Object.values(this.charts).every((heard) => heard.scale === scale && heard.ignored === ignored);
  },

  readCharts() {
    return Object.entries(this.charts).map(([tag, heard]) => (
      {tag, extent: heard.extent.y ?? null, view_box: heard.chart.viewBox.y, series: this.written(heard)}
    ));
  },

  // The tooltip as it is, or as it would be with the cursor at x.
  readTooltip(tag, x) {
    const view = this.hoverViews[tag];
    if (x !== null) {
      view.isCursorInside = true;
      view.cursorLocationInDataCoord = {x, y: 0};
      view.updateCursoredDataAndTooltipVisibility();
    }
    const rows = view.cursoredData.map(({metadata, dataPoint}) => [metadata.displayName, dataPoint]);
    return {x: view.cursorLocationInDataCoord.x, rows};
  },

  async smoothBy(values, weights) {
    const series = [{id: '', points: values.map((y, x) => ({x, y}))}];
    const smoothed = await Promise.all(weights.map((weight) => this.smooth(series, weight)));
    return smoothed.map(([{points}]) => points.map(({y}) => y));
  },

  extentOf(columns, scale, ignored) {
    const series = columns.map((column, id) => ({id, points: column.map((y, x) => ({x, y}))}));
    const shown = Object.fromEntries(series.map(({id}) => [id, {visible: true, aux: false}]));
    const isSafe = this.scales[scale].isSafeNumber;
    return this.extents(series, shown, ignored, isSafe, isSafe).y ?? null;
  },
};
