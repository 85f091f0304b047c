//! Logs in every state that rotation, packing, truncation and restarts leave them in.

use super::follow::{Follower, Most, Next};
use super::meters::{TailCounters, TailMeters};
use super::position::{Position, Start};
use std::fs::{self, File};
use std::io::Write as _;
use std::path::PathBuf;
use takeover_harness::metrics::Metrics;
use tempfile::TempDir;

/// A log that is written, rotated and followed.
struct Written {
    folder: TempDir,
    follower: Follower,
    metrics: Metrics,
    meters: TailMeters,
    most: Most,
    /// The position after what was read last.
    position: Position,
    /// How often it was rotated.
    rotations: u32,
}

impl Written {
    fn new(start: Start) -> Self {
        Self::in_folder(tempfile::tempdir().unwrap(), 0, start)
    }

    fn in_folder(folder: TempDir, rotations: u32, start: Start) -> Self {
        let metrics = Metrics::new("").unwrap();
        let meters = TailCounters::new(&metrics).unwrap().of("log");
        let most = Most { line: 1000, learn: 1 << 20 };
        let follower = Follower::new(folder.path().join("audit.log"), start);
        Self { folder, follower, metrics, meters, most, position: Position::default(), rotations }
    }

    /// Another server goes on where this one was after its last line.
    fn restart(self) -> Self {
        Self::in_folder(self.folder, self.rotations, Start::At(self.position))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, text: &str) {
        let mut file = File::options().append(true).create(true).open(self.path("audit.log")).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    /// Renames the log; its new name.
    fn rotate(&mut self) -> PathBuf {
        self.rotations += 1;
        let to = self.path(&format!("audit-2026-11-21T02-{:02}-00.000.log", self.rotations));
        fs::rename(self.path("audit.log"), &to).unwrap();
        to
    }

    /// Everything until there is nothing more for now, in words: whether a line is only learnt from or too long.
    fn read(&mut self) -> Vec<String> {
        let mut read = Vec::new();
        loop {
            match self.follower.next(self.most, &self.meters) {
                Next::Nothing(position) => {
                    self.position = position.unwrap_or_else(|| self.position.clone());
                    return read;
                }
                Next::Begun(position) => self.position = position,
                Next::Line(line) => {
                    let text = match line.text {
                        Ok(text) => String::from_utf8(text).unwrap().trim_end().to_owned(),
                        Err(bytes) => format!("{bytes} bytes"),
                    };
                    if line.is_new {
                        self.position = line.after;
                    }
                    read.push(if line.is_new { text } else { format!("({text})") });
                }
            }
        }
    }

    fn changes(&self, change: &str) -> u64 {
        let name = format!("takeover_shadow_tail_changes_total{{change=\"{change}\",file=\"log\"}} ");
        let text = self.metrics.text().unwrap();
        text.lines().find_map(|line| line.strip_prefix(&name)).unwrap().parse().unwrap()
    }
}

fn pack(file: &PathBuf) {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&fs::read(file).unwrap()).unwrap();
    fs::write(file.with_extension("log.gz"), gzip.finish().unwrap()).unwrap();
    fs::remove_file(file).unwrap();
}

#[test]
fn appended_lines_come_once_and_partial_ones_when_they_are_whole() {
    let mut log = Written::new(Start::End);
    assert!(log.read().is_empty(), "there is no file yet");
    log.write("one\ntw");
    assert_eq!(log.read(), ["one"]);
    log.write("o\nthree\n");
    assert_eq!(log.read(), ["two", "three"]);
    assert!(log.read().is_empty());
}

#[test]
fn what_was_there_before_the_start_is_learnt_from_only() {
    let mut log = Written::new(Start::End);
    log.write("a\n");
    log.rotate();
    log.write("b\npart");
    assert_eq!(log.read(), ["(a)", "(b)"]);
    log.write("ly\nc\n");
    assert_eq!(log.read(), ["partly", "c"]);
}

#[test]
fn what_is_written_while_a_log_is_learnt_from_is_new_to_the_next_server_too() {
    for earlier in ["a\nb\n", ""] {
        let mut log = Written::new(Start::End);
        if !earlier.is_empty() {
            log.write(earlier);
        }
        let Next::Begun(position) = log.follower.next(log.most, &log.meters) else { panic!("it begins with the end") };
        log.position = position;
        log.write("c\n");
        // It is cut off before it has learnt anything.
        let mut log = log.restart();
        log.write("d\n");
        let new: Vec<String> = log.read().into_iter().filter(|line| !line.starts_with('(')).collect();
        assert_eq!((new, log.changes("lost")), (vec!["c".to_owned(), "d".to_owned()], 0));
    }
}

#[test]
fn from_the_start_everything_is_new_the_oldest_first() {
    let mut log = Written::new(Start::Beginning);
    for text in ["a\n", "b\n", "c\n"] {
        log.write(text);
        let file = log.rotate();
        if text == "a\n" {
            pack(&file);
        }
    }
    log.write("d\n");
    assert_eq!(log.read(), ["a", "b", "c", "d"]);
}

#[test]
fn the_last_lines_of_a_renamed_file_are_not_lost() {
    let mut log = Written::new(Start::End);
    log.read();
    log.write("a\n");
    assert_eq!(log.read(), ["a"]);
    log.write("b\nwithout end");
    let renamed = log.rotate();
    assert_eq!(log.read(), ["b"]);
    // Whoever wrote to it may do so until there is something in the new file.
    File::options().append(true).open(&renamed).unwrap().write_all(b"\nlate\n").unwrap();
    log.write("");
    assert_eq!(log.read(), ["without end", "late"]);
    File::options().append(true).open(&renamed).unwrap().write_all(b"last").unwrap();
    log.write("c\n");
    assert_eq!(log.read(), ["last", "c"]);
    assert_eq!((log.changes("rotated"), log.changes("lost")), (1, 0));
}

#[test]
fn several_rotations_between_two_looks_are_read_in_order_packed_or_not() {
    let mut log = Written::new(Start::End);
    log.write("a\n");
    log.read();
    for text in ["b\n", "c\n", "d\n", "e\n"] {
        log.write(text);
        let file = log.rotate();
        if ["b\n", "d\n"].contains(&text) {
            pack(&file);
        }
    }
    log.write("f\n");
    assert_eq!(log.read(), ["b", "c", "d", "e", "f"]);
    assert_eq!((log.changes("rotated"), log.changes("lost")), (4, 0));
    for text in ["g\n", "h\n"] {
        log.write(text);
        log.rotate();
    }
    assert_eq!(log.read(), ["g", "h"], "there is no new file yet");
    log.write("i\n");
    assert_eq!(log.read(), ["i"]);
}

#[test]
fn an_emptied_log_is_read_from_its_beginning_and_its_rest_from_the_copy() {
    let mut log = Written::new(Start::End);
    log.read();
    log.write("a\nb\n");
    assert_eq!(log.read(), ["a", "b"]);
    log.write("c\n");
    fs::copy(log.path("audit.log"), log.path("audit-2026-11-21T03-00-00.000.log")).unwrap();
    File::options().write(true).open(log.path("audit.log")).unwrap().set_len(0).unwrap();
    log.write("d\n");
    assert_eq!(log.read(), ["c", "d"]);
    assert_eq!((log.changes("truncated"), log.changes("lost")), (1, 0));

    fs::write(log.path("audit.log"), "something else that is longer than what was there\n").unwrap();
    assert_eq!(log.read(), ["something else that is longer than what was there"]);
    assert_eq!((log.changes("truncated"), log.changes("lost")), (2, 1));
}

#[test]
fn a_log_that_vanishes_comes_back_as_another_and_its_open_file_is_read_on() {
    let mut log = Written::new(Start::End);
    log.read();
    log.write("a\n");
    assert_eq!(log.read(), ["a"]);
    let mut open = File::options().append(true).open(log.path("audit.log")).unwrap();
    fs::remove_file(log.path("audit.log")).unwrap();
    open.write_all(b"b\n").unwrap();
    assert_eq!(log.read(), ["b"]);
    log.write("c\n");
    assert_eq!(log.read(), ["c"]);
}

#[test]
fn a_line_beyond_the_limit_is_passed_over() {
    let mut log = Written::new(Start::End);
    log.read();
    log.write(&format!("a\n{}", "x".repeat(5000)));
    assert_eq!(log.read(), ["a"]);
    log.write(&format!("{}\nb\n", "x".repeat(200_000)));
    assert_eq!(log.read(), ["205001 bytes", "b"]);
}

#[test]
fn a_restart_counts_nothing_twice_and_loses_nothing() {
    let mut log = Written::new(Start::End);
    log.read();
    log.write("a\n");
    assert_eq!(log.read(), ["a"]);
    log.write("b\nhalf");
    let mut log = log.restart();
    assert_eq!(log.read(), ["(a)", "b"]);
    log.write("\nc\n");
    let file = log.rotate();
    let mut log = log.restart();
    assert_eq!(log.read(), ["(a)", "(b)", "half", "c"], "the position is in a renamed file");
    pack(&file);
    log.write("d\n");
    log.rotate();
    log.write("e\n");
    let mut log = log.restart();
    assert_eq!(log.read(), ["(a)", "(b)", "(half)", "(c)", "d", "e"], "the position is in a packed file");
    assert_eq!(log.changes("lost"), 0);
    log.write("f\n");
    let mut log = log.restart();
    log.most.learn = 3;
    assert_eq!(log.read(), ["(e)", "f"], "what is learnt from is limited to whole files of less");
}

#[test]
fn a_restart_after_the_file_is_gone_says_so_and_reads_what_came_after() {
    let mut log = Written::new(Start::End);
    log.write("0\n");
    log.rotate();
    log.read();
    log.write("a\n");
    assert_eq!(log.read(), ["a"]);
    log.write("never seen\n");
    let gone = log.rotate();
    fs::remove_file(gone).unwrap();
    log.write("b\n");
    log.rotate();
    log.write("c\n");
    let mut log = log.restart();
    assert_eq!(log.read(), ["(0)", "b", "c"]);
    assert_eq!(log.changes("lost"), 1);
}

#[test]
fn a_restart_before_anything_came_begins_where_the_first_server_did() {
    let mut log = Written::new(Start::End);
    log.write("a\n");
    assert_eq!(log.read(), ["(a)"]);
    log.write("b\n");
    let mut log = log.restart();
    assert_eq!(log.read(), ["(a)", "b"]);

    let mut log = Written::new(Start::End);
    log.read();
    log.write("first\n");
    let mut log = log.restart();
    assert_eq!(log.read(), ["first"], "there was no file");
}

#[test]
fn a_broken_packed_file_is_read_as_far_as_it_goes() {
    let mut log = Written::new(Start::Beginning);
    log.write(&"a\n".repeat(100_000));
    let file = log.rotate();
    pack(&file);
    let packed = file.with_extension("log.gz");
    let whole = fs::read(&packed).unwrap();
    fs::write(&packed, &whole[..whole.len() - 20]).unwrap();
    log.write("b\n");
    let read = log.read();
    assert!(read.len() > 1 && read.last().unwrap() == "b", "{}", read.len());
    assert_eq!(log.changes("unreadable"), 1);
}

#[test]
fn a_log_that_cannot_be_read_is_counted_and_tried_again() {
    let mut log = Written::new(Start::End);
    fs::create_dir(log.path("audit.log")).unwrap();
    assert!(log.read().is_empty());
    assert!(log.changes("unreadable") > 0);
    fs::remove_dir(log.path("audit.log")).unwrap();
    assert!(log.read().is_empty());
    log.write("a\n");
    assert_eq!(log.read(), ["a"]);
}

#[test]
fn a_pipe_in_the_place_of_a_log_is_not_waited_for() {
    let mut log = Written::new(Start::End);
    let made = std::process::Command::new("mkfifo").arg(log.path("audit.log")).status().unwrap();
    assert!(made.success());
    assert!(log.read().is_empty());
    assert!(log.changes("unreadable") > 0);
    fs::remove_file(log.path("audit.log")).unwrap();
    assert!(log.read().is_empty());
    log.write("a\n");
    assert_eq!(log.read(), ["a"]);
}

#[test]
fn a_rotated_file_that_cannot_be_opened_is_passed_over_in_the_end_and_counted() {
    let mut log = Written::new(Start::Beginning);
    let itself = "audit-2026-11-21T02-00-00.000.log";
    std::os::unix::fs::symlink(itself, log.path(itself)).unwrap();
    log.write("one\n");
    assert!(log.read().is_empty(), "it may be readable later");
    assert_eq!((log.changes("unreadable"), log.changes("lost")), (1, 0));
    let read: Vec<String> = (0..400).flat_map(|_| log.read()).collect();
    assert_eq!(read, ["one"]);
    assert_eq!(log.changes("lost"), 1);
}
