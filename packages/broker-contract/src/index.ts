export type { BrokerCase } from './broker-case.ts';
export { brokerContract } from './broker-contract.ts';
export type { BrokerAbility, BrokerScene, StorageOptions } from './broker-scene.ts';
