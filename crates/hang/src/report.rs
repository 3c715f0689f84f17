//! What an error state tells about a hang.

use crestline_device::Platform;
use serde::Serialize;

use crate::batch::{self, Memory, Step};
use crate::tables::{self, Kind, Packet};
use crate::{Dump, DumpError, Engine, kernels};

/// The report on an error state. It borrows the code of the kernels.
#[derive(Clone, Debug, Serialize)]
pub struct Report<'d> {
    /// The platform whose packets and instructions are decoded.
    pub target: Platform,
    /// The PCI id of the device.
    pub pci_id: Option<u64>,
    /// The register EIR: the errors that the hardware reported.
    pub eir: Option<u64>,
    /// One for each engine.
    pub rings: Vec<RingReport>,
    /// The kernels of all batches, in the order of engine, stage and address.
    pub kernels: Vec<KernelReport<'d>>,
}

/// The state of an engine.
#[derive(Clone, Debug, Serialize)]
pub struct RingReport {
    /// The driver's name of the engine.
    pub name: String,
    /// The register ACTHD: the address where the command streamer read.
    pub acthd: Option<u64>,
    /// The register IPEHR: the header of the packet that was executed.
    pub ipehr: Option<u64>,
    /// The name of that packet.
    pub ipehr_packet: Option<&'static str>,
    /// The register IPEIR.
    pub ipeir: Option<u64>,
    /// The status registers.
    pub units: Vec<UnitReport>,
    /// The address of the batch, if it is stored.
    pub batch: Option<u64>,
    /// The packets of the batch, in the order of their execution.
    pub packets: Vec<PacketReport>,
    /// Why the list of packets ends early.
    pub stopped: Option<String>,
}

/// A status register.
#[derive(Clone, Debug, Serialize)]
pub struct UnitReport {
    /// The driver's name, with slice and subslice.
    pub register: String,
    /// The value.
    pub value: u64,
    /// The units that were not done.
    pub not_done: Vec<&'static str>,
}

/// A packet.
#[derive(Clone, Debug, Serialize)]
pub struct PacketReport {
    /// The address of its header.
    pub address: u64,
    /// The name; `None` if no packet has this header.
    pub name: Option<&'static str>,
    /// The header.
    pub header: u32,
    /// Number of dwords; of successive no-ops, their number.
    pub dwords: usize,
    /// The fields that are not zero, in the order of their bits.
    pub fields: Vec<FieldValue>,
    /// Whether the command streamer stood here.
    pub here: bool,
}

/// A field of a packet.
#[derive(Clone, Debug, Serialize)]
pub struct FieldValue {
    /// The name of the manuals.
    pub name: &'static str,
    /// The value.
    pub value: u64,
    /// How the value is shown.
    #[serde(skip)]
    pub kind: Kind,
}

/// A kernel.
#[derive(Clone, Debug, Serialize)]
pub struct KernelReport<'d> {
    /// The engine.
    pub ring: String,
    /// The stage, of fragment shaders with the SIMD width.
    pub stage: &'static str,
    /// The address; only the offset from the instruction base address if the batch does not set it.
    pub address: u64,
    /// Whether the batch sets the instruction base address.
    pub has_base: bool,
    /// The addresses of the first packets that start it.
    pub packets: Vec<u64>,
    /// Whether the last draw or dispatch that was started uses it.
    pub marked: bool,
    /// The machine code; `None` if the error state does not contain it.
    #[serde(skip)]
    pub code: Option<&'d [u8]>,
}

impl<'d> Report<'d> {
    /// Makes the report. `target` determines the layout of packets and instructions.
    ///
    /// # Errors
    /// If the tables do not have the generation, or the error state names a platform of another generation.
    pub fn new(dump: &'d Dump, target: Platform) -> Result<Report<'d>, DumpError> {
        let generation = target.generation();
        let column = tables::column(generation).ok_or(DumpError::Unsupported(generation))?;
        if let Some((found, line)) = dump.platform
            && found.generation() != generation
        {
            return Err(DumpError::OtherPlatform { line, found, wanted: target });
        }
        let memory = Memory::new(dump);
        let mut report = Report {
            target,
            pci_id: dump.pci_id,
            eir: dump.eir,
            rings: Vec::new(),
            kernels: Vec::new(),
        };
        for engine in &dump.engines {
            // The text may repeat an engine. The buffers are those of all engines with the name.
            if report.rings.iter().all(|ring| ring.name != engine.name) {
                report.add(dump, &memory, engine, column);
            }
            if report.rings.len() == MAX_RINGS {
                break;
            }
        }
        Ok(report)
    }

    fn add(&mut self, dump: &'d Dump, memory: &Memory<'d>, engine: &Engine, column: usize) {
        let name = engine.name.as_str();
        let batch = dump.buffers.iter().find(|b| b.engine == name && b.is_batch());
        let walk = batch.map(|batch| batch::walk(memory, name, batch.address, column));
        let walk = walk.unwrap_or_default();
        let acthd = engine.register("ACTHD");
        // BBADDR is the address in the batch, with flags in the low bits, also if ACTHD is one in the ring.
        let places = [acthd, engine.register("BBADDR").map(|address| address & !7)];
        let find = |place: u64| walk.steps.iter().position(|step| step.contains(place));
        let last = places.into_iter().flatten().find_map(find);
        for ((stage, address), found) in kernels::find(memory, name, &walk.steps, last, column)
            .into_iter()
            .take(kernels::MAX_KERNELS - self.kernels.len())
        {
            let code = address.ok().and_then(|address| memory.at(name, address));
            let code =
                code.map(|(_, bytes)| &bytes[..kernels::length(bytes, self.target.generation())]);
            self.kernels.push(KernelReport {
                ring: name.to_owned(),
                stage,
                has_base: address.is_ok(),
                address: address.unwrap_or_else(|offset| offset),
                packets: found.packets,
                marked: found.is_marked,
                code,
            });
        }
        let ipehr = engine.register("IPEHR");
        let header = ipehr.and_then(|header| u32::try_from(header).ok());
        let packet = header.and_then(|header| tables::packet(header, column));
        let units = engine.registers.iter().filter_map(|register| {
            let not_done = tables::not_done(&register.name, register.value, column)?;
            Some(UnitReport { register: register.name.clone(), value: register.value, not_done })
        });
        let packets = walk.steps.iter().enumerate();
        self.rings.push(RingReport {
            name: name.to_owned(),
            acthd,
            ipehr,
            ipehr_packet: packet.map(|packet| packet.name),
            ipeir: engine.register("IPEIR"),
            units: units.collect(),
            batch: batch.map(|batch| batch.address),
            packets: packets.map(|(n, step)| of_step(step, column, last == Some(n))).collect(),
            stopped: walk.stopped,
        });
    }
}

/// The most engines that are reported. Devices have at most a dozen.
const MAX_RINGS: usize = 32;

fn of_step(step: &Step, column: usize, here: bool) -> PacketReport {
    let fields = step.packet.into_iter().flat_map(Packet::fields);
    let mut fields: Vec<_> = fields
        .filter_map(|field| {
            let value = field.value(&step.words, column).filter(|value| *value != 0)?;
            let place = field.bits[column].map(|bits| (bits.dword, bits.low));
            Some((place, FieldValue { name: field.name, value, kind: field.kind }))
        })
        .collect();
    fields.sort_by_key(|(place, _)| *place);
    PacketReport {
        address: step.address,
        name: step.packet.map(|packet| packet.name),
        header: step.words.first().copied().unwrap_or_default(),
        dwords: step.dwords,
        fields: fields.into_iter().map(|(_, field)| field).collect(),
        here,
    }
}
