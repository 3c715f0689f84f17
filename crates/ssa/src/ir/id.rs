//! Typed indices: one id type per kind of list.

/// Declares id types. An id is a `u32` that indexes one kind of list; the distinct types keep ids of different lists
/// apart. The string is the prefix with which ids are printed, in `Debug` and `Display`.
///
/// All ids of this crate and of the back end use it. The crate `cranelift-entity` offers the same and more, but would
/// add three dependencies.
#[macro_export]
macro_rules! typed_index {
    ($($(#[$doc:meta])+ $vis:vis struct $name:ident($field:vis u32), $prefix:literal;)+) => {$(
        $(#[$doc])+
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        $vis struct $name($field u32);

        impl $name {
            /// The id of the entry with this index. An index that does not fit gives the greatest id, which names no
            /// entry.
            $field const fn from_index(index: usize) -> Self {
                Self(if index < u32::MAX as usize { index as u32 } else { u32::MAX })
            }

            /// The entry's index. Indices count from 0 without gaps, so they can also index side tables.
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
