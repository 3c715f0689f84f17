//! What registers contain at the current position of selection, so that later instructions can read it again.

/// What registers contain at the current position: the `MOST` newest entries, newest last.
#[derive(Clone, Debug)]
pub(crate) struct Recent<K, V, const MOST: usize> {
    entries: Vec<(K, V)>,
}

impl<K, V, const MOST: usize> Default for Recent<K, V, MOST> {
    fn default() -> Recent<K, V, MOST> {
        Recent { entries: Vec::new() }
    }
}

impl<K: PartialEq, V: Copy, const MOST: usize> Recent<K, V, MOST> {
    /// The entry of a key, if there is one.
    pub(crate) fn get(&self, key: &K) -> Option<V> {
        self.entries.iter().find(|entry| entry.0 == *key).map(|entry| entry.1)
    }

    /// Adds an entry. The oldest is removed if there are too many.
    pub(crate) fn put(&mut self, key: K, value: V) {
        if self.entries.len() == MOST {
            self.entries.remove(0);
        }
        self.entries.push((key, value));
    }
}
