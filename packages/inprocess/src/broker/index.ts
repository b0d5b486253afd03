export type { MemoryBrokerOptions } from './memory-broker.ts';
export { createMemoryBroker } from './memory-broker.ts';
