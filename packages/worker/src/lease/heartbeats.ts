/** Heartbeats per lease, of the event loop and of the thread that stands in for it: two may be lost before the lease is. */
export const HEARTBEATS_PER_LEASE = 3;

/** The most leases that one call extends, or asks about. */
export const MAX_LEASES = 1_000;
