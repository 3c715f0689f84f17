//! Reports as text.

use std::fmt;

use crate::tables::Kind;
use crate::{FieldValue, KernelReport, PacketReport, Report, RingReport};

/// The report without the code of the kernels.
impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "i915 error state, decoded for {}", self.target)?;
        if let Some(id) = self.pci_id {
            write!(f, ", PCI id {id:#06x}")?;
        }
        writeln!(f)?;
        if let Some(eir) = self.eir {
            // Bit 0 has this meaning on all generations. Source: register EIR of Intel's manuals.
            let error = if eir & 1 == 1 { ": instruction error" } else { "" };
            writeln!(f, "EIR {eir:#010x}{error}")?;
        }
        self.rings.iter().try_for_each(|ring| write!(f, "\n{ring}"))
    }
}

impl fmt::Display for RingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "engine {}", printable(&self.name))?;
        if let Some(acthd) = self.acthd {
            write!(f, "  ACTHD {acthd:#x}")?;
            match self.packets.iter().find(|packet| packet.here) {
                Some(packet) => writeln!(f, ", in {}", shown(packet.name))?,
                None => writeln!(f, ", not in the batch")?,
            }
        }
        if let Some(ipehr) = self.ipehr {
            writeln!(f, "  IPEHR {ipehr:#010x}, {}", shown(self.ipehr_packet))?;
        }
        if let Some(ipeir) = self.ipeir.filter(|ipeir| *ipeir != 0) {
            writeln!(f, "  IPEIR {ipeir:#010x}")?;
        }
        for unit in &self.units {
            write!(f, "  {} {:#010x}", printable(&unit.register), unit.value)?;
            match unit.not_done.as_slice() {
                [] => writeln!(f, ", all done")?,
                units => writeln!(f, ", not done: {}", units.join(" "))?,
            }
        }
        match self.batch {
            Some(address) => writeln!(f, "  batch at {address:#x}")?,
            None => writeln!(f, "  the error state has no batch of this engine")?,
        }
        self.packets.iter().try_for_each(|packet| write!(f, "{packet}"))?;
        match &self.stopped {
            Some(reason) => writeln!(f, "  the list of packets ends early: {reason}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for PacketReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arrow = if self.here { "=>" } else { "  " };
        write!(f, "{arrow}  {:#010x} ", self.address)?;
        match self.name {
            Some(name) => write!(f, "{name}")?,
            None => write!(f, "unknown packet {:#010x}", self.header)?,
        }
        if self.header == 0 && self.dwords > 1 {
            write!(f, " ({} times)", self.dwords)?;
        }
        writeln!(f)?;
        self.fields.iter().try_for_each(|field| writeln!(f, "        {field}"))
    }
}

impl fmt::Display for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Flag => write!(f, "{}", self.name),
            Kind::Number => write!(f, "{}: {}", self.name, self.value),
            Kind::Address | Kind::Hex => write!(f, "{}: {:#x}", self.name, self.value),
        }
    }
}

/// The heading of the kernel's code.
impl fmt::Display for KernelReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.marked { "=> " } else { "" };
        write!(f, "{mark}{} kernel of {} at ", self.stage, printable(&self.ring))?;
        if !self.has_base {
            write!(f, "the instruction base address (which the batch does not set) + ")?;
        }
        write!(f, "{:#x}, used at", self.address)?;
        self.packets.iter().try_for_each(|packet| write!(f, " {packet:#x}"))?;
        match self.code {
            Some(code) => write!(f, ", {} bytes", code.len()),
            None => write!(f, "; the error state does not contain its code"),
        }
    }
}

/// The name of a packet.
fn shown(name: Option<&str>) -> &str {
    name.unwrap_or("an unknown packet")
}

/// A name from the text of the error state, without characters that control a terminal.
fn printable(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}
