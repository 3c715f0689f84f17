//! The types of VkScript.

use crate::types::{Scalar, Type};

/// Prefixes of vectors and matrices with the name of their component.
const PREFIXES: &[(&str, &str)] = &[
    ("", "float"),
    ("d", "double"),
    ("i", "int32"),
    ("u", "uint32"),
    ("i8", "int8"),
    ("u8", "uint8"),
    ("i16", "int16"),
    ("u16", "uint16"),
    ("i64", "int64"),
    ("u64", "uint64"),
];

const SCALARS: &[(&str, &str)] = &[
    ("int", "int32"),
    ("uint", "uint32"),
    ("int8_t", "int8"),
    ("uint8_t", "uint8"),
    ("int16_t", "int16"),
    ("uint16_t", "uint16"),
    ("int64_t", "int64"),
    ("uint64_t", "uint64"),
    ("float16_t", "float16"),
    ("float", "float"),
    ("double", "double"),
];

/// The types that an error text lists.
pub(super) const EXPECTED: &str =
    "a type such as int, uint8_t, double, vec3, ivec2, u16vec4, mat3 or dmat2x4";

/// The type with a name.
pub(super) fn parse(name: &str) -> Option<Type> {
    if let Some((_, scalar)) = SCALARS.iter().find(|(own, _)| *own == name) {
        return Some(Type::Vector { scalar: Scalar::parse(scalar)?, rows: 1 });
    }
    let size = |digit: &str| digit.parse().ok().filter(|size: &u8| (2..=4).contains(size));
    let scalar = |prefix: &str| {
        let (_, name) = PREFIXES.iter().find(|(own, _)| *own == prefix)?;
        Scalar::parse(name)
    };
    if let Some((prefix, rows)) = name.split_once("vec") {
        let rows = if rows.is_empty() { 1 } else { size(rows)? };
        return Some(Type::Vector { scalar: scalar(prefix)?, rows });
    }
    let (prefix, sizes) = name.split_once("mat")?;
    let scalar = scalar(prefix).filter(|scalar| scalar.bits >= 32)?;
    let (columns, rows) = sizes.split_once('x').unwrap_or((sizes, sizes));
    Some(Type::Matrix { scalar, columns: size(columns)?, rows: size(rows)?, stride: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read() {
        for (name, amber) in [
            ("uint8_t", "uint8"),
            ("vec3", "vec3<float>"),
            ("i64vec2", "vec2<int64>"),
            ("mat3", "mat3x3<float>"),
            ("dmat2x4", "mat2x4<double>"),
        ] {
            assert_eq!(parse(name), Type::parse(amber), "{name}");
        }
        for name in ["", "vec5", "xvec2", "mat", "mat2x5", "float32"] {
            assert_eq!(parse(name), None, "{name}");
        }
    }
}
