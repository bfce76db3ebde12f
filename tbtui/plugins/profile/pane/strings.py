"""Texts of the Profile tab."""

READING = "reading the profile …", ""
ARRANGING = "arranging {:,} events …"
GROUPING = "reading the shapes: {:.0%}"
NO_CAPTURE = (
    "no profile in the visible runs",
    "press space in the list of runs, to which tab or b leads, to switch others on",
)
ALL_FILTERED = "the filter of tags hides all profiles", "press escape to clear it"
UNREADABLE = "this profile cannot be read"
NO_ROWS = {
    "operators": ("no operators were recorded", "the views of kernels and of the timeline (m) may hold events"),
    "kernels": ("no kernels were recorded", "torch.profiler records them with ProfilerActivity.CUDA"),
    "runtime": ("no calls of a device runtime were recorded", ""),
    "memory": ("no memory was recorded", "torch.profiler records it with profile_memory=True"),
    "input": ("no input pipeline was recorded", "DataLoader and tf.data record their stages"),
    "communication": ("no collectives were recorded", "single processes have none"),
    "comparison": ("no operators to compare", "press d to choose another profile"),
}
NO_MATCH = "no name matches", "press escape to clear the filter"
FIND = "names…  regex"
CHOOSE = "choose a profile"
CHOOSE_BASELINE = "compare with"
NO_OTHER = "there is no other profile to compare with"
