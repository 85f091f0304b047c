//! The certificate requests that were checked last. A request is judged at least three times on its way, when it is made,
//! approved and answered, and never changes; a comparison varies the other fields of one request thousands of times.

use super::signature::Fault;
use super::x509::check_request;
use std::cell::RefCell;

/// Requests that are remembered, and the longest of them in bytes: at most 512 KiB a thread.
const CAPACITY: usize = 64;
const LONGEST: usize = 8 * 1024;

thread_local! {
    static RECENT: RefCell<Recent> = const { RefCell::new(Recent { checked: Vec::new(), oldest: 0 }) };
}

/// A request and what is wrong with it.
type Checked = (Box<[u8]>, Result<(), Fault>);

/// Requests that were checked.
struct Recent {
    checked: Vec<Checked>,
    /// Which one goes next, once all places are taken.
    oldest: usize,
}

/// What [`check_request`] says of `text`, from memory when this thread was asked the same before. The whole text is
/// compared, so a remembered answer is the answer.
pub(super) fn check_again(text: &[u8]) -> Result<(), Fault> {
    if text.len() > LONGEST {
        return check_request(text);
    }
    RECENT.with_borrow_mut(|recent| {
        if let Some((_, answer)) = recent.checked.iter().find(|(known, _)| **known == *text) {
            return answer.clone();
        }
        let answer = check_request(text);
        let entry = (text.into(), answer.clone());
        match recent.checked.get_mut(recent.oldest) {
            Some(oldest) => *oldest = entry,
            None => recent.checked.push(entry),
        }
        recent.oldest = (recent.oldest + 1) % CAPACITY;
        answer
    })
}

/// Forgets what this thread was asked.
pub(super) fn forget() {
    RECENT.with_borrow_mut(|recent| *recent = Recent { checked: Vec::new(), oldest: 0 });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remembered() -> usize {
        RECENT.with_borrow(|recent| recent.checked.len())
    }

    #[test]
    fn answers_are_remembered_up_to_a_bound_and_stay_the_same() {
        forget();
        let texts: Vec<Vec<u8>> = (0..2 * CAPACITY).map(|at| format!("request {at}").into_bytes()).collect();
        for _ in 0..2 {
            for text in &texts {
                assert_eq!(check_again(text), check_request(text));
                assert_eq!(check_again(text), check_request(text));
            }
        }
        assert_eq!(remembered(), CAPACITY);
        let long = vec![b'x'; LONGEST + 1];
        assert_eq!((check_again(&long), remembered()), (check_request(&long), CAPACITY));
        forget();
        assert_eq!(remembered(), 0);
    }
}
