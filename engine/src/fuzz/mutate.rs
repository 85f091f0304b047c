//! New inputs from old ones.

use chacha20::ChaCha8Rng;
use chacha20::rand_core::Rng as _;

/// Makes inputs by changing seeds at random, with the words of a dictionary.
pub(super) struct Mutator<'m> {
    seeds: &'m [Vec<u8>],
    words: &'m [Vec<u8>],
    max_len: usize,
    random: ChaCha8Rng,
}

impl<'m> Mutator<'m> {
    pub(super) fn new(seeds: &'m [Vec<u8>], words: &'m [Vec<u8>], max_len: usize, random: ChaCha8Rng) -> Self {
        Self { seeds, words, max_len, random }
    }

    /// The next input: a seed with one to six changes.
    pub(super) fn input(&mut self) -> Vec<u8> {
        let mut bytes = pick(self.seeds, self.below(self.seeds.len()));
        for _ in 0..=self.below(6) {
            self.change(&mut bytes);
        }
        bytes.truncate(self.max_len);
        bytes
    }

    fn below(&mut self, count: usize) -> usize {
        // Which of the numbers is a little likelier does not matter here.
        usize::try_from(self.random.next_u32()).unwrap_or_default().checked_rem(count).unwrap_or_default()
    }

    fn noise(&mut self, len: usize) -> Vec<u8> {
        let mut noise = vec![0; len];
        self.random.fill_bytes(&mut noise);
        noise
    }

    fn change(&mut self, bytes: &mut Vec<u8>) {
        let from = self.below(bytes.len() + 1);
        let to = bytes.len().min(from + 1 + self.below(24));
        let new = match self.below(8) {
            0 | 1 => pick(self.words, self.below(self.words.len())),
            2 => Vec::new(),
            3 => {
                let len = 1 + self.below(4);
                self.noise(len)
            }
            4 => {
                // The rest is noise: for streams of choices, other choices from here on.
                let rest = self.noise(self.max_len.saturating_sub(from).min(512));
                bytes.truncate(from);
                rest
            }
            5 => {
                let other = pick(self.seeds, self.below(self.seeds.len()));
                let at = self.below(other.len() + 1);
                other.get(at..).unwrap_or_default().iter().take(64).copied().collect()
            }
            6 => bytes.get(from..to).unwrap_or_default().repeat(2),
            _ => {
                let bit = 1_u8 << self.below(8);
                bytes.get(from..to).unwrap_or_default().iter().take(1).map(|byte| byte ^ bit).collect()
            }
        };
        let replaced = if self.below(2) == 0 { from } else { to.min(from + new.len()).max(from) };
        let replaced = if new.is_empty() { to } else { replaced };
        bytes.splice(from..replaced.min(bytes.len()).max(from), new);
    }
}

fn pick(items: &[Vec<u8>], index: usize) -> Vec<u8> {
    items.get(index).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::Mutator;
    use chacha20::ChaCha8Rng;
    use chacha20::rand_core::SeedableRng as _;
    use std::collections::BTreeSet;

    #[test]
    fn inputs_differ_keep_to_their_length_and_come_again_with_the_seed() {
        let (seeds, words) = ([b"seed".to_vec(), Vec::new()], [b"word".to_vec()]);
        let inputs = |seed| -> Vec<Vec<u8>> {
            let mut mutator = Mutator::new(&seeds, &words, 40, ChaCha8Rng::seed_from_u64(seed));
            (0..500).map(|_| mutator.input()).collect()
        };
        assert_eq!(inputs(1), inputs(1));
        assert_ne!(inputs(1), inputs(2));
        assert!(inputs(1).iter().all(|input| input.len() <= 40));
        assert!(inputs(1).into_iter().collect::<BTreeSet<_>>().len() > 400);
        assert!(inputs(1).iter().any(|input| input.windows(4).any(|part| part == b"word")));
    }
}
