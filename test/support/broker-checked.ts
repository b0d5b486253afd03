export { assertBalanced, auditEachCall } from '../../packages/broker-contract/src/audit-each-call.ts';
