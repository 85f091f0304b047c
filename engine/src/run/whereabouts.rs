//! What a run folder holds, for the commands that a report names.

use super::record::RunRecord;
use crate::program::program_name;
use std::path::Path;
use takeover_reports::run::Whereabouts;
use takeover_reports::shell_quoted;

/// Where the report of the run in `folder` is, and the commands that go with it.
pub fn whereabouts(folder: &Path) -> Whereabouts {
    let at = Whereabouts {
        page: folder.join("report.html").is_file(),
        ..Whereabouts::new(&folder.to_string_lossy(), program_name())
    };
    // Servers and older programs leave other records, of which no soak is known.
    let Ok(Some(RunRecord { plan, home, .. })) = RunRecord::read_begun(folder) else { return at };
    let soak = plan.arguments().map(|arguments| {
        let quoted = arguments.iter().map(|argument| format!(" {}", shell_quoted(argument)));
        format!("{} soak{}", program_name(), quoted.collect::<String>())
    });
    Whereabouts {
        soak: soak.unwrap_or_default(),
        own_types: plan.judging.types.is_some(),
        home: home.map(|home| folder.join(home)),
        ..at
    }
}
