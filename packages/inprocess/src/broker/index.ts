export { createMemoryBroker } from './create-memory-broker.ts';
export type { MemoryBrokerOptions } from './options.ts';
