//! The units that execute instructions.

use std::ops::{Index, IndexMut};

/// A unit that executes instructions or messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// The floating-point and integer pipe.
    Fpu,
    /// The extended math pipe.
    Math,
    /// The sampler.
    Sampler,
    /// The pixel interpolator.
    PixelInterpolator,
    /// The unified return buffer.
    Urb,
    /// The data cache's data port.
    DataCache,
    /// The render cache's data port.
    RenderCache,
    /// The constant cache's data port.
    ConstantCache,
    /// The message gateway.
    Gateway,
    /// The thread spawner.
    Spawner,
}

impl Unit {
    /// All units.
    pub const ALL: [Unit; 10] = [
        Unit::Fpu,
        Unit::Math,
        Unit::Sampler,
        Unit::PixelInterpolator,
        Unit::Urb,
        Unit::DataCache,
        Unit::RenderCache,
        Unit::ConstantCache,
        Unit::Gateway,
        Unit::Spawner,
    ];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Unit::Fpu => "fpu",
            Unit::Math => "math",
            Unit::Sampler => "sampler",
            Unit::PixelInterpolator => "pixel interpolator",
            Unit::Urb => "urb",
            Unit::DataCache => "data cache",
            Unit::RenderCache => "render cache",
            Unit::ConstantCache => "constant cache",
            Unit::Gateway => "gateway",
            Unit::Spawner => "thread spawner",
        }
    }
}

/// One value for each unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerUnit<T>([T; Unit::ALL.len()]);

impl<T> Index<Unit> for PerUnit<T> {
    type Output = T;

    fn index(&self, unit: Unit) -> &T {
        &self.0[unit as usize]
    }
}

impl<T> IndexMut<Unit> for PerUnit<T> {
    fn index_mut(&mut self, unit: Unit) -> &mut T {
        &mut self.0[unit as usize]
    }
}

impl<T: Copy> PerUnit<T> {
    /// The values with their units, in the order of [`Unit::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (Unit, T)> + '_ {
        Unit::ALL.into_iter().map(|unit| (unit, self[unit]))
    }
}

impl PerUnit<u64> {
    /// The largest value.
    pub fn max(&self) -> u64 {
        self.0.into_iter().max().unwrap_or(0)
    }
}
