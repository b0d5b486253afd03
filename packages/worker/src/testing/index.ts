export type { VirtualClock } from '@retry/core/testing';
export type { BrokerCase } from './contract/broker-case.ts';
export { brokerContract } from './contract/broker-contract.ts';
export type { BrokerAbility, BrokerScene, StorageOptions } from './contract/broker-scene.ts';
export { instantRetries } from './instant-retries.ts';
export { createTestClock } from './test-clock.ts';
