import type { PolicyInput } from '@retry/core';
import { definePolicy } from '@retry/core';
import type { RatePointInput, Timeline, WorldInput } from '@retry/core/simulate';
import { simulate } from '@retry/core/simulate';

/** Brooker's server: 1 s, and 10 ms more for each request under way; attempts of at most 3 s. */
const SERVER = {
  server: { type: 'concurrency', latency: '1s', perRequest: 10 },
  network: { type: 'exponential', mean: 100 },
  attemptTimeout: '3s',
  duration: '80s',
} as const satisfies Partial<WorldInput>;

/** 80 calls/s for 5 s. */
const SPIKE: readonly RatePointInput[] = [
  { at: '20s', perSecond: 40 },
  { at: '20s', perSecond: 80 },
  { at: '25s', perSecond: 80 },
  { at: '25s', perSecond: 40 },
];

/** Up to 80 calls/s and back, in 50 s. */
const RAMP: readonly RatePointInput[] = [
  { at: 0, perSecond: 40 },
  { at: '25s', perSecond: 80 },
  { at: '50s', perSecond: 40 },
];

const AT_ONCE: PolicyInput = { maxAttempts: 3, backoff: { type: 'none' } };

const JITTER: PolicyInput = {
  maxAttempts: 3,
  backoff: { type: 'exponential', base: '20s' },
  maxDelay: '40s',
};

/** One timeline of a picture. */
interface Panel {
  readonly title: string;
  readonly policy: PolicyInput;
  readonly world: Partial<WorldInput>;
}

interface Storm {
  readonly file: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** Returns the panels of a policy, of a short surge and a long one. */
function bothSurges(policy: PolicyInput, budget?: WorldInput['budget']): readonly Panel[] {
  return [
    { title: '80 calls/s for 5 s', policy, world: { traffic: { perSecond: SPIKE }, budget } },
    { title: 'up to 80 calls/s and back, in 50 s', policy, world: { traffic: { perSecond: RAMP }, budget } },
  ];
}

/** The long surge, spread over ever more processes, each of which has this budget, or a part in it. */
export function fleetsWith(budget: WorldInput['budget']): readonly Panel[] {
  return [1, 10, 100].map((processes) => ({
    title: `${processes} process${processes === 1 ? '' : 'es'}`,
    policy: JITTER,
    world: { traffic: { perSecond: RAMP }, processes, budget },
  }));
}

/** A budget of each process. */
export const LOCAL: WorldInput['budget'] = { type: 'ratio', ratio: 0.1, minPerSecond: 2 };

/** The same of all of them together. */
export const SHARED: WorldInput['budget'] = { type: 'shared', ratio: 0.1, perSecond: 2, burst: 20 };

const STORMS: readonly Storm[] = [
  { file: 'storm-no-jitter.svg', title: 'no backoff, no jitter', panels: bothSurges(AT_ONCE) },
  { file: 'storm-jitter.svg', title: 'backoff and full jitter', panels: bothSurges(JITTER) },
  {
    file: 'storm-budget.svg',
    title: 'backoff, full jitter and a budget of 10 %',
    panels: bothSurges(JITTER, { type: 'ratio', ratio: 0.1, minPerSecond: 0 }),
  },
  {
    file: 'storm-local-budgets.svg',
    title: 'each process has a budget of 10 % and 2 a second',
    panels: fleetsWith(LOCAL),
  },
  {
    file: 'storm-shared-budget.svg',
    title: 'all processes share a budget of 10 % and 2 a second',
    panels: fleetsWith(SHARED),
  },
];

const WIDTH = 360;
const HEIGHT = 190;
const LEFT = 34;
const RIGHT = 10;
const TOP = 40;
const BASELINE = 150;

/** Attempts a second at the upper edge: three attempts of 80 calls. */
const CEILING = 240;

const STYLE = `<style>
    text { font: 11px system-ui, sans-serif; fill: #57606a } .title { font-weight: 600 } .note { font-size: 9px }
    .load { fill: #ff818266 } .goodput { fill: none; stroke: #1a7f37; stroke-width: 2 } .surge { fill: #d0d7de66 }
    .axis { stroke: #8c959f } .background { fill: #ffffff }
  </style>`;

/** The pictures of docs/storms.md by their file names, drawn from `simulate`. */
export function drawStorms(): readonly (readonly [file: string, svg: string])[] {
  return STORMS.map(({ file, title, panels: timelines }) => {
    const panels = timelines.map((panel, index) => {
      const drawn = drawTimeline(panel.title, simulatePanel(panel));
      return `<g transform="translate(${index * WIDTH} 0)">\n  ${drawn}\n</g>`;
    });
    const size = `width="${WIDTH * panels.length}" height="${HEIGHT}" viewBox="0 0 ${WIDTH * panels.length} ${HEIGHT}"`;
    return [
      file,
      [
        `<svg xmlns="http://www.w3.org/2000/svg" ${size}>`,
        `<title>A surge of calls, three attempts each: ${title}</title>`,
        STYLE,
        `<rect class="background" width="100%" height="100%"/>`,
        `<text class="title" x="8" y="14">${title}</text>`,
        ...panels,
        '</svg>',
        '',
      ].join('\n'),
    ];
  });
}

/** Runs the world of a panel. */
export function simulatePanel({ policy, world }: Panel): Timeline {
  return simulate(definePolicy(policy), { ...SERVER, traffic: { perSecond: RAMP }, ...world });
}

/** Draws the load as an area and the goodput as a line, medians of all seeds, with the time of the surge behind them. */
function drawTimeline(surge: string, { buckets, world, collapsedShare, runs }: Timeline): string {
  const x = (ms: number): number => round(LEFT + (ms / world.durationMs) * (WIDTH - LEFT - RIGHT));
  const y = (perSecond: number): number =>
    round(BASELINE - (Math.min(perSecond, CEILING) / CEILING) * (BASELINE - TOP));
  const points = (figure: 'attempts' | 'successes'): readonly string[] =>
    buckets.map((bucket) => `${x(bucket.atMs + world.bucketMs / 2)},${y(bucket[figure].median)}`);
  const from = world.traffic.type === 'open' ? (world.traffic.rates[0]?.atMs ?? 0) : 0;
  const down = `${Math.round(collapsedShare * runs)} of ${runs} seeds are down 30 s after the surge`;
  return [
    `<text x="${LEFT}" y="32">${surge}</text>`,
    `<rect class="surge" x="${x(from)}" y="${TOP}" width="${round(x(world.triggerEndMs) - x(from))}" height="${BASELINE - TOP}"/>`,
    `<polygon class="load" points="${x(0)},${BASELINE} ${points('attempts').join(' ')} ${x(world.durationMs)},${BASELINE}"/>`,
    `<polyline class="goodput" points="${points('successes').join(' ')}"/>`,
    `<line class="axis" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${BASELINE}" y2="${BASELINE}"/>`,
    ...[40, 120, 240].map(
      (value) => `<text class="note" text-anchor="end" x="${LEFT - 4}" y="${y(value) + 3}">${value}</text>`,
    ),
    ...[0, 20, 40, 60, 80].map(
      (s) => `<text class="note" text-anchor="middle" x="${x(s * 1_000)}" y="${BASELINE + 12}">${s} s</text>`,
    ),
    `<text class="note" x="${LEFT}" y="${BASELINE + 28}">red: attempts a second · green: calls that succeed · ${down}</text>`,
  ].join('\n  ');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
