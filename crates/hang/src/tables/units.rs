//! The status registers of the units.
//!
//! Source: Intel's manuals, volume "Command Reference: Registers" of each generation, in the form of Mesa's genxml (version 19.3).

use super::{Unit, unit_table};

/// The status registers by the names that i915 prints. Those with an index exist once for each subslice.
pub const REGISTERS: &[(&str, &[Unit])] = &[
    ("INSTDONE", INSTDONE),
    ("SC_INSTDONE", SC_INSTDONE),
    ("SAMPLER_INSTDONE", SAMPLER_INSTDONE),
    ("ROW_INSTDONE", ROW_INSTDONE),
];

unit_table! { INSTDONE:
    1 "VFG" [1 1 1 1 1 1];
    2 "VS" [1 1 1 1 1 1];
    3 "HS" [1 1 1 1 1 1];
    4 "TE" [1 1 1 1 1 1];
    5 "DS" [1 1 1 1 1 1];
    6 "GS" [1 1 1 1 1 1];
    7 "SOL" [1 1 1 1 1 1];
    8 "CL" [1 1 1 1 1 1];
    9 "SF" [1 1 1 1 1 1];
    11 "TDG1" [0 0 0 0 1 1];
    12 "TDG" [1 1 1 1 0 0];
    12 "TDG0" [0 0 0 0 1 1];
    13 "URBM" [1 1 1 1 1 1];
    14 "SVG" [1 1 1 1 1 1];
    15 "GAFS" [1 1 1 1 1 1];
    16 "VFE" [1 1 1 1 1 1];
    17 "TSG" [1 1 1 1 0 0];
    17 "TSG0" [0 0 0 0 1 1];
    18 "GAFM" [1 1 1 1 1 1];
    19 "GAM" [1 1 1 1 1 1];
    20 "RS" [0 1 1 1 1 1];
    21 "CS" [0 1 1 1 1 1];
    22 "SDE" [1 1 1 1 1 1];
    23 "RCCFBC CS" [1 1 1 1 1 1];
    24 "TSG1" [0 0 0 0 1 1];
}

unit_table! { SC_INSTDONE:
    0 "SVL" [1 1 1 1 1 1];
    1 "WMFE" [1 1 1 1 1 1];
    2 "WMBE" [1 1 1 1 1 1];
    3 "HIZ" [1 1 1 1 1 1];
    4 "STC" [1 1 1 1 1 1];
    5 "IZ" [1 1 1 1 1 1];
    6 "SBE" [1 1 1 1 1 1];
    8 "RCZ" [1 1 1 1 1 1];
    9 "RCC" [1 1 1 1 1 1];
    10 "RCPBE" [1 1 1 1 1 1];
    11 "RCPFE" [1 1 1 1 1 1];
    12 "DAPB" [1 1 1 1 1 1];
    13 "DAPRBE" [1 1 1 1 1 1];
    14 "IECP" [1 0 0 0 0 0];
    15 "SARB" [1 1 1 1 1 1];
    16 "DC0" [0 0 1 1 1 1];
    16 "VSC" [1 0 0 0 0 0];
    17 "DC1" [0 0 1 1 1 1];
    18 "DC2" [0 0 1 1 1 1];
    19 "DC3" [0 0 0 1 1 1];
    20 "GW0" [0 0 1 1 1 1];
    21 "GW1" [0 0 1 1 1 1];
    22 "GW2" [0 0 1 1 1 1];
    23 "GW3" [0 0 0 1 1 1];
    24 "TDC" [0 0 1 1 1 1];
    25 "SFBE" [0 0 0 0 1 1];
}

unit_table! { SAMPLER_INSTDONE:
    0 "IME" [0 1 1 1 1 1];
    0 "VME" [1 0 0 0 0 0];
    1 "PL0" [1 1 1 1 1 1];
    2 "SO0" [1 1 1 1 1 1];
    3 "DG0" [1 1 1 1 1 1];
    4 "FT0" [1 1 1 1 1 1];
    5 "DM0" [1 1 1 1 1 1];
    6 "SC" [1 1 1 1 1 1];
    7 "FL0" [1 1 1 1 1 1];
    8 "QC" [1 1 1 1 1 1];
    9 "SVSM" [1 1 1 1 1 1];
    10 "SI0" [1 1 1 1 1 1];
    11 "MT0" [1 1 1 1 1 1];
    12 "AVS" [1 1 1 1 1 1];
    13 "IEF" [1 1 1 1 1 1];
    14 "CRE" [0 1 1 1 1 1];
    14 "VDI" [1 0 0 0 0 0];
    15 "SVSM ARB3" [1 1 1 1 0 0];
    15 "SVSM_ARB_SIFM" [0 0 0 0 1 1];
    16 "SVSM ARB2" [1 1 1 1 1 1];
    17 "SVSM ARB1" [1 1 1 1 1 1];
    18 "SVSM Adapter" [1 1 1 1 1 1];
    19 "BDM" [0 0 1 1 1 1];
    19 "FT1" [0 1 0 0 0 0];
    20 "DM1" [0 1 0 0 0 0];
    21 "MT1" [0 1 0 0 0 0];
}

unit_table! { ROW_INSTDONE:
    0 "BC" [1 1 1 1 1 1];
    1 "PSD" [1 1 1 1 1 1];
    2 "DC" [1 1 0 0 0 0];
    3 "DAPR" [1 1 1 1 1 1];
    6 "TDL" [1 1 1 1 1 1];
    8 "GW" [1 1 0 0 0 0];
    12 "IC" [1 1 1 1 1 1];
    15 "MA0" [0 1 1 1 1 1];
    16 "EU00 SS0" [1 1 1 1 1 1];
    17 "EU01 SS0" [1 1 1 1 1 1];
    18 "EU02 SS0" [1 1 1 1 1 1];
    19 "EU03 SS0" [1 1 1 1 1 1];
    20 "EU04 SS0" [0 1 0 0 0 0];
    20 "MA0 SS0" [1 0 0 0 0 0];
    21 "EU10 SS0" [1 1 1 1 1 1];
    22 "EU11 SS0" [1 1 1 1 1 1];
    23 "EU12 SS0" [1 1 1 1 1 1];
    24 "EU13 SS0" [1 1 1 1 1 1];
    25 "EU14 SS0" [0 1 0 0 0 0];
    25 "MA1" [1 0 0 0 0 0];
    26 "MA1 SS0" [0 1 1 1 1 1];
}
