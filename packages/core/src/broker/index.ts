export type {
  Attendance,
  Audit,
  Broker,
  ExpiredScope,
  GetOptions,
  HeartbeatAnswer,
  HeartbeatRequest,
  LaneDepth,
  ListQuery,
  RunPage,
  WaitOptions,
} from './broker.ts';
export type { BrokerErrorCode } from './broker-error.ts';
export { BrokerError } from './broker-error.ts';
export type { Claim, ClaimedRun, ExchangeReply, ExchangeRequest } from './exchange.ts';
export type { Hold, HoldRequest, HoldSource, ResumeAnswer, ResumeRequest } from './hold.ts';
export type {
  CancelAnswer,
  DiscardAnswer,
  EndAnswer,
  EndRequest,
  RedriveAnswer,
  RedriveOptions,
  RescheduleAnswer,
  RescheduleRequest,
} from './operation.ts';
export type { Reservation, Reserved } from './reservation.ts';
export type { AttemptError, Concurrency, Run } from './run.ts';
export type { SettleAnswer, Settlement } from './settlement.ts';
export type { KeyAnswer, Submission, SubmitAnswer, Unique } from './submission.ts';
