//! Numbers that say what they number.

/// Declares types of ids: an id is a `u32` that indexes one kind of list, so that no id of another kind is taken for it.
/// The text before the number is what ids are printed with, in `Debug` too.
///
/// Used for every id of this crate and of the back end. `cranelift-entity` does the same and more, for three crates more.
#[macro_export]
macro_rules! typed_index {
    ($($(#[$doc:meta])+ $vis:vis struct $name:ident($field:vis u32), $prefix:literal;)+) => {$(
        $(#[$doc])+
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        $vis struct $name($field u32);

        impl $name {
            /// The id of the entry with this index; of an index past `u32` the greatest id, which names no entry.
            $field const fn from_index(index: usize) -> Self {
                Self(if index < u32::MAX as usize { index as u32 } else { u32::MAX })
            }

            /// The entry's index: dense from 0, so that it can index side tables too.
            $vis const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Debug::fmt(self, f)
            }
        }
    )+};
}

#[cfg(test)]
mod tests {
    typed_index! {
        /// An id.
        struct Apple(u32), "apple ";
    }

    #[test]
    fn ids_print_what_they_number_and_never_wrap() {
        let third = Apple::from_index(3);
        assert_eq!((third.index(), third.to_string()), (3, "apple 3".to_owned()));
        assert_eq!(format!("{third:?}"), "apple 3");
        assert_eq!(Apple::from_index(1 << 32), Apple(u32::MAX));
    }
}
