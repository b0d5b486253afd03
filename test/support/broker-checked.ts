export { assertBalanced, auditEachCall } from '../../packages/worker/src/testing/contract/audit-each-call.ts';
