"""Layout of diagrams: cells of boxes and links, from a diagram without coordinates to one with them.

A flow has no direction on the screen until the last stage. Coordinates before it are across and along the flow.
A layout is made in these stages, and boxes and links have a type per stage:

| made by                          | result                      | a box is                   | a link is             |
| -------------------------------- | --------------------------- | -------------------------- | --------------------- |
| `scope_diagram.build_diagram`    | `Diagram`                   | `Box`                      | `Link`                |
| `nested_layout.build_flow_graph` | `FlowGraph`, its components | a node, and its `NodeSize` | `FlowLink`            |
| `ranks.assign_ranks`             | the rank of each node       | a node                     | `RankedLink`          |
| `nets.build_nets`                | `RankedGraph`               | a node                     | a net of `NetHop`s    |
| `ranks.order_nodes`              | `RankOrder`                 | a node                     |                       |
| `ports.order_ports`              | the port of each net        | a `BoxSide`                | a `NetEnd`            |
| `coordinates.assign_columns`     | the column of each node     | a node                     | `Connection`          |
| `routing.Channel`, `Router`      | corners of links            |                            | `ChannelNet`, `Track` |
| `flow.lay_out_flow`              | `FlowLayout` of a component | its cells                  | its corners           |
| `nested_layout.lay_out_nested`   | `NestedLayout` of a diagram | `LaidBox`                  | `LaidLink`            |
| `layout.lay_out`                 | `PlacedDiagram`             | `PlacedBox`                | `Route`               |

A link is an arrow between two boxes. A net is a set of links that share lines, because they have the same output or
the same input. A net passes a rank in a node of its own, and crosses the channel between two ranks in a hop.
"""
