export type { AbortSignalLike } from '../fields/value-rules.ts';
export type {
  CancelAnswer,
  DiscardAnswer,
  DiscardOptions,
  EndAnswer,
  EndRequest,
  OperatorError,
  RedriveAnswer,
  RedriveOptions,
  RescheduleAnswer,
  RescheduleRequest,
  RunEnd,
} from './acts.ts';
export type {
  Attendance,
  Audit,
  Broker,
  BrokerErrorCode,
  BrokerFacts,
  ExpiredScope,
  GetOptions,
  GetRuns,
  LaneDepth,
  ListQuery,
  RunPage,
  RunsAnswers,
  WaitForResults,
  WaitForWork,
  WaitOptions,
  WaitRequest,
} from './broker.ts';
export { BrokerError } from './broker.ts';
export type { Change, ChangeAnswer, ChangeOptions, Reading, SeenRun } from './change.ts';
export type { Claim, ClaimedRun, ExchangeReply, ExchangeRequest, LaneConcurrency } from './exchange.ts';
export type {
  HeartbeatAnswer,
  HeartbeatConnection,
  HeartbeatModule,
  HeartbeatRequest,
  OpenHeartbeats,
} from './heartbeat.ts';
export type { Hold, HoldRequest, HoldSource, ResumeAnswer, ResumeRequest } from './hold.ts';
export type {
  AttemptCount,
  AttemptCounts,
  AttemptsQuery,
  DueTimes,
  DueTimesQuery,
  Figures,
  FiguresQuery,
  ReadFigures,
  ServerMemory,
} from './insight/figures.ts';
export type { ErrorGroup, ErrorGroupName, GroupNotice, GroupPage, GroupsQuery } from './insight/groups.ts';
export type {
  Counted,
  CountedRate,
  LaneFigures,
  LaneRates,
  LaneReport,
  LanesQuery,
  Rate,
} from './insight/lanes.ts';
export type { LaneFlow, LiveWorker, WorkerFacts, WorkerFlow } from './insight/workers.ts';
export type { Note, Notes, NotesPage, NotesQuery, NotesWritten, NoteWrite } from './notes.ts';
export type {
  Operation,
  OperationChange,
  OperationChangeAnswer,
  OperationClaim,
  OperationFilter,
  OperationRequest,
  OperationState,
} from './operation.ts';
export type { Reservation, Reserved, StartCorrection } from './reservation.ts';
export type { AttemptError, Concurrency, Run } from './run.ts';
export type { SettleAnswer, Settlement } from './settlement.ts';
export type {
  KeyAnswer,
  Locked,
  LockOptions,
  Spent,
  SpentError,
  Submission,
  SubmitAnswer,
  Unique,
} from './submission.ts';
