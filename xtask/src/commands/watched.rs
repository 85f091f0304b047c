//! `cargo xtask watched`: a run in a process of its own. Started by other commands, never by hand.

use super::printing::Printing;
use crate::exit_code::Exit;
use crate::output;
use crate::progress::ProgressLine;
use crate::whole;
use clap::Args;
use std::path::{Path, PathBuf};
use takeover_engine::isolate::{JudgingNotes, SupervisedRun, WatchedRun, supervise};
use takeover_engine::plan::{RunOrder, WorkerLimits};
use takeover_engine::run::{
    ConcludedRun, Distrusted, ResumedRun, RunHost, RunProgress, Unseen, resume, run, whereabouts,
};
use takeover_engine::stop::Stop;
use takeover_harness::subject::PairId;
use takeover_reports::shell_quoted;

/// Runs what the process that watches this one has written down.
#[derive(Args)]
pub struct Watched {
    /// What that process has written.
    run: PathBuf,
    #[command(flatten)]
    pub(super) printing: Printing,
}

impl Watched {
    /// Runs, and prints the report.
    ///
    /// # Errors
    /// When no process watches this one.
    pub fn run(self) -> anyhow::Result<Exit> {
        // Before anything else: until then a signal ends this process, and nothing is lost.
        let stop = Stop::on_signals(stopping);
        let watched = WatchedRun::read(&self.run)?;
        let notes = watched.begin()?;
        let exit = run_here(&watched.order, &notes, stop, self.printing);
        if let Err(error) = &exit {
            output::say_error(error);
        }
        notes.done();
        Ok(exit.unwrap_or_else(|error| Exit::of_error(&error)))
    }
}

/// Runs in a process of its own, which goes on when an oracle ends it or, for some times the time of `limits`, does not answer. Without
/// `printing`, nobody reads the report.
///
/// # Errors
/// When processes cannot be started, or the run ends while nothing but the harness runs in it.
pub fn supervised(
    order: RunOrder,
    pairs: Vec<PairId>,
    limits: WorkerLimits,
    printing: Option<Printing>,
) -> anyhow::Result<Exit> {
    let mut command = vec!["watched".into()];
    command.extend(printing.iter().flat_map(|printing| printing.arguments()));
    command.extend(output::color_arguments());
    let is_exit_code = |code| Exit::of(code).is_some();
    let run = SupervisedRun { order, command, is_exit_code, pairs, limits, quiet: printing.is_none() };
    let stop = Stop::on_signals(|| ());
    Ok(Exit::of(supervise(run, stop, &output::say)?).unwrap_or(Exit::Usage))
}

/// Says what happens when somebody asked the run to stop.
pub fn stopping() {
    output::say("stopping: writing the results so far; press Ctrl-C again to stop at once");
}

/// Runs in this process, and prints the report.
///
/// # Errors
/// Wrong configuration; what goes wrong with inputs is reported and counted, and becomes the exit code.
pub fn run_here(
    order: &RunOrder,
    notes: &JudgingNotes,
    stop: &'static Stop,
    printing: Printing,
) -> anyhow::Result<Exit> {
    let line = ProgressLine::default();
    let host = host(if printing.is_quiet() { &Unseen } else { &line }, notes, stop);
    let (RunOrder::Begin(_, keeping) | RunOrder::Resume(_, keeping)) = order;
    let concluded = match order {
        RunOrder::Begin(plan, keeping) => run(plan, keeping, &host),
        RunOrder::Resume(with, keeping) => match resume(with.clone(), keeping, &host) {
            Ok(ResumedRun::Finished(concluded)) => {
                let folder = keeping.folder.display();
                output::say(&format!("note: the run in `{folder}` is finished; this is its report"));
                Ok(concluded)
            }
            Ok(ResumedRun::Concluded(concluded)) => Ok(concluded),
            Err(error) => Err(error),
        },
    };
    if keeping.storage.is_some() {
        return kept(concluded?, printing);
    }
    print(concluded, &keeping.folder, printing)
}

/// The end of a shard that is kept in a storage. That it is stored is success, whatever it shows: the verdict is of all shards, and its own
/// report is printed only in a form that was chosen.
fn kept(concluded: ConcludedRun, printing: Printing) -> anyhow::Result<Exit> {
    if printing.is_chosen() {
        printing.print(&concluded.report)?;
    }
    if let Some(error) = concluded.unwritten {
        output::say_error(&error.context("the shard was judged, but its result was not stored"));
        output::say("start the same command again: it goes on from the last checkpoint");
        return Ok(Exit::Usage);
    }
    Ok(concluded.ending.into())
}

/// This program, as runs see it.
pub fn host<'h>(progress: &'h dyn RunProgress, notes: &'h JudgingNotes, stop: &'static Stop) -> RunHost<'h> {
    let look = output::look();
    RunHost { program: output::program(), look, say: &output::say, progress, notes, stop, storages: whole::storages() }
}

/// Prints the report of the run in `folder`, or why there is none.
///
/// # Errors
/// Those of the run, unless the harness is at fault.
pub fn print(concluded: anyhow::Result<ConcludedRun>, folder: &Path, printing: Printing) -> anyhow::Result<Exit> {
    let mut concluded = match concluded {
        Err(error) if error.is::<Distrusted>() => {
            output::say_lines(&format!("error: {error:#}"));
            return Ok(Exit::SelfCheck);
        }
        concluded => concluded?,
    };
    concluded.report.at = whereabouts(folder);
    // What is there is behind what is printed: no command is to read it before the run is resumed.
    concluded.report.at.behind = concluded.unwritten.is_some() && !concluded.report.at.page;
    printing.print(&concluded.report)?;
    let resumes = concluded.report.resumes();
    if let Some(command) = resumes.as_ref().filter(|_| !printing.is_screen()) {
        output::say(&format!("unfinished; to resume: `{command}`"));
    }
    if let Some(error) = concluded.unwritten {
        output::say_error(&error.context("the answer was printed, but could not be written to disk completely"));
        if resumes.is_some() {
            output::say("make room first, then resume");
        } else if !concluded.report.at.soak.is_empty() {
            let (program, folder) = (output::program(), folder.to_string_lossy());
            output::say(&format!("make room, then resume: `{program} soak --resume {}`", shell_quoted(&folder)));
        }
        return Ok(Exit::Usage);
    }
    Ok(concluded.ending.into())
}
