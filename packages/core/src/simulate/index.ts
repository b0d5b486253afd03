export { advise } from './advise.ts';
export type { RenderOptions } from './render-timeline.ts';
export { renderTimeline } from './render-timeline.ts';
export type { SimulateOptions } from './simulate.ts';
export { compare, simulate } from './simulate.ts';
export type { Spread } from './spread.ts';
export type { Bucket, Timeline } from './timeline.ts';
export type {
  NetworkInput,
  RatePoint,
  RatePointInput,
  Server,
  ServerInput,
  Traffic,
  TrafficInput,
  Trouble,
  TroubleInput,
  World,
  WorldInput,
} from './world/world.ts';
