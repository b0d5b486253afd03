export type {
  Attendance,
  Audit,
  Broker,
  CancelAnswer,
  Claim,
  ClaimedRun,
  DiscardAnswer,
  ExchangeReply,
  ExchangeRequest,
  ExpiredScope,
  GetOptions,
  HeartbeatAnswer,
  HeartbeatRequest,
  LaneDepth,
  ListQuery,
  RedriveAnswer,
  RedriveOptions,
  RunPage,
  Submission,
  SubmitAnswer,
  WaitOptions,
} from './broker.ts';
export type { BrokerErrorCode } from './broker-error.ts';
export { BrokerError } from './broker-error.ts';
export type { AttemptError, Concurrency, Run } from './run.ts';
export type { SettleAnswer, Settlement } from './settlement.ts';
