import type { VNode } from 'preact';
import type { AttemptRow } from '../../../api.ts';
import { duration } from '../../charts/figures.ts';

const WIDTH = 960;
const ROW = 24;
const LEFT = 48;

/** The width of a part that took no time. */
const MIN_WIDTH = 1;

/** A part of an attempt on the axis of time. */
interface Part {
  readonly kind: 'waited' | 'ran' | 'backed-off';
  readonly fromMs: number;
  readonly ms: number;
}

/** One line for each attempt, in the order of time: it waited, it ran, it backed off. */
export function Timeline({ attempts }: { attempts: readonly AttemptRow[] }): VNode | null {
  const lines = placeAll(attempts);
  const endMs = Math.max(1, ...lines.flatMap((parts) => parts.map(({ fromMs, ms }) => fromMs + ms)));
  const x = (ms: number): number => LEFT + (ms / endMs) * (WIDTH - LEFT - MIN_WIDTH);
  if (attempts.length === 0) return null;
  const label = `${attempts.length} attempts in ${duration(endMs)}`;
  return (
    <svg
      class="chart timeline"
      viewBox={`0 0 ${WIDTH} ${ROW * attempts.length + 4}`}
      role="img"
      aria-label={label}
    >
      {lines.map((parts, row) => (
        <g key={row}>
          <text class="tick" x={LEFT - 8} y={row * ROW + 16} text-anchor="end">
            {attempts[row]?.attempt}
          </text>
          {parts.map(({ kind, fromMs, ms }) => (
            <rect
              key={kind}
              class={kind}
              x={x(fromMs)}
              y={row * ROW + 4}
              width={Math.max(x(ms) - LEFT, MIN_WIDTH)}
              height={ROW - 8}
            >
              <title>{`${kind} ${duration(ms)}`}</title>
            </rect>
          ))}
        </g>
      ))}
    </svg>
  );
}

/** Places attempts by their instants; one without begins when the backoff of the one before has passed. */
function placeAll(attempts: readonly AttemptRow[]): readonly (readonly Part[])[] {
  const [first] = attempts;
  const zeroAt = (first?.startedAt ?? 0) - (first?.waitedMs ?? 0);
  let dueMs = 0;
  return attempts.map(({ startedAt, waitedMs = 0, durationMs = 0, backoffMs = 0 }) => {
    const startMs = startedAt === undefined ? dueMs + waitedMs : Math.max(startedAt - zeroAt, dueMs);
    const endMs = startMs + durationMs;
    const parts: readonly Part[] = [
      { kind: 'waited', fromMs: dueMs, ms: startMs - dueMs },
      { kind: 'ran', fromMs: startMs, ms: durationMs },
      { kind: 'backed-off', fromMs: endMs, ms: backoffMs },
    ];
    dueMs = endMs + backoffMs;
    return parts.filter(({ kind, ms }) => kind === 'ran' || ms > 0);
  });
}
