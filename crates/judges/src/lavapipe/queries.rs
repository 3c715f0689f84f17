//! Counters of a draw call: samples that pass, and pipeline statistics.

use ash::vk;

use super::{JobError, vulkan};

/// The counts of a draw call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// The samples that passed all tests.
    pub samples: u64,
    /// The pipeline statistics, in the order of the bits of `VkQueryPipelineStatisticFlagBits`.
    pub statistics: [u64; 11],
}

/// The queries of one draw call.
pub(super) struct Queries<'d> {
    device: &'d ash::Device,
    pools: [vk::QueryPool; 2],
}

impl<'d> Queries<'d> {
    /// Makes both queries.
    pub(super) fn new(device: &'d ash::Device) -> Result<Self, JobError> {
        let all = vk::QueryPipelineStatisticFlags::from_raw(0x7ff);
        let infos = [
            vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::OCCLUSION),
            vk::QueryPoolCreateInfo::default()
                .query_type(vk::QueryType::PIPELINE_STATISTICS)
                .pipeline_statistics(all),
        ];
        let mut queries = Queries { device, pools: [vk::QueryPool::null(); 2] };
        for (pool, info) in queries.pools.iter_mut().zip(infos) {
            // SAFETY: all that `info` points to lives through the call.
            *pool = unsafe { device.create_query_pool(&info.query_count(1), None) }
                .map_err(vulkan("vkCreateQueryPool"))?;
        }
        Ok(queries)
    }

    /// Records the reset and the begin of the queries.
    ///
    /// # Safety
    ///
    /// The command buffer is being recorded outside of a render pass, and the queries outlive its execution.
    pub(super) unsafe fn begin(&self, commands: vk::CommandBuffer) {
        let [samples, statistics] = self.pools;
        // SAFETY: as the caller promises.
        unsafe {
            for pool in self.pools {
                self.device.cmd_reset_query_pool(commands, pool, 0, 1);
            }
            let precise = vk::QueryControlFlags::PRECISE;
            self.device.cmd_begin_query(commands, samples, 0, precise);
            self.device.cmd_begin_query(commands, statistics, 0, vk::QueryControlFlags::empty());
        }
    }

    /// Records the end of the queries.
    ///
    /// # Safety
    ///
    /// As of [`begin`](Self::begin), and the queries have begun.
    pub(super) unsafe fn end(&self, commands: vk::CommandBuffer) {
        for pool in self.pools {
            // SAFETY: as the caller promises.
            unsafe { self.device.cmd_end_query(commands, pool, 0) };
        }
    }

    /// The counts, after the commands have run.
    pub(super) fn counts(&self) -> Result<Counts, JobError> {
        let mut counts = Counts::default();
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        let [samples, statistics] = self.pools;
        let mut one = [0u64; 1];
        let mut all = [counts.statistics];
        // SAFETY: the pools are live, and the elements have the sizes of the results.
        unsafe {
            (self.device.get_query_pool_results(samples, 0, &mut one, flags))
                .map_err(vulkan("vkGetQueryPoolResults"))?;
            (self.device.get_query_pool_results(statistics, 0, &mut all, flags))
                .map_err(vulkan("vkGetQueryPoolResults"))?;
        }
        (counts.samples, counts.statistics) = (one[0], all[0]);
        Ok(counts)
    }
}

impl Drop for Queries<'_> {
    fn drop(&mut self) {
        for pool in self.pools {
            // SAFETY: made from this device; every submission that used it has been waited for.
            unsafe { self.device.destroy_query_pool(pool, None) };
        }
    }
}
