import type { Broker } from '@retry/core/broker';
import type { AttendanceSource, FigureSources } from '@retry/core/broker/kit';

/** The broker of one partition. */
export interface Part extends Omit<Broker, 'attend' | 'figures'> {
  /** Its lanes, as attendance asks for them. */
  readonly ownLanes: Pick<AttendanceSource, 'names' | 'depths'>;
  /** What operators ask about it. */
  readonly ownFigures: FigureSources;
}

/** The brokers of all partitions. */
export type Parts = readonly [Part, ...Part[]];
