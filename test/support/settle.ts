export type { SettleExtras } from '../../packages/worker/src/testing/contract/settlement-of.ts';
export { settlementOf } from '../../packages/worker/src/testing/contract/settlement-of.ts';
