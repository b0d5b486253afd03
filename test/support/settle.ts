export type { SettleExtras } from '../../packages/broker-contract/src/settlement-of.ts';
export { settlementOf } from '../../packages/broker-contract/src/settlement-of.ts';
