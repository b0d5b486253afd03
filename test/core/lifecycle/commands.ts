import type { RunEvent, RunState } from '@retry/core/lifecycle';
import { EventCommand, type Model } from './model.ts';

export class Submit extends EventCommand {
  readonly takenIn = ['unsubmitted'] as const;
  eventAt(at: number): RunEvent {
    return this.delayMs === undefined ? { type: 'submit', at } : { type: 'submit', at, ...this.dueAt(at) };
  }
  count(model: Model): void {
    model.state = this.back();
  }
}

export class Promote extends EventCommand {
  readonly takenIn = ['scheduled'] as const;
  eventAt(at: number): RunEvent {
    return { type: 'promote', at };
  }
  count(model: Model): void {
    model.state = 'submitted';
  }
}

export class Start extends EventCommand {
  readonly takenIn = ['submitted'] as const;
  eventAt(at: number): RunEvent {
    return { type: 'start', at };
  }
  count(model: Model): void {
    model.state = 'started';
    model.claims += 1;
  }
}

export class Heartbeat extends EventCommand {
  readonly takenIn = ['started'] as const;
  eventAt(at: number): RunEvent {
    return { type: 'heartbeat', at };
  }
  count(): void {}
}

export class Complete extends EventCommand {
  readonly takenIn = ['started'] as const;
  eventAt(at: number): RunEvent {
    return { type: 'complete', at };
  }
  count(model: Model): void {
    model.state = 'completed';
  }
}

export class Retry extends EventCommand {
  readonly takenIn = ['started'] as const;
  eventAt(at: number): RunEvent {
    return { type: 'retry', at, ...this.dueAt(at) };
  }
  count(model: Model): void {
    model.state = this.back();
    model.failures += 1;
  }
}

export class Fail extends EventCommand {
  readonly takenIn = ['started'] as const;
  eventAt(at: number): RunEvent {
    return { type: 'fail', at };
  }
  count(model: Model): void {
    model.state = 'failed';
    model.failures += 1;
  }
}

export class Release extends EventCommand {
  readonly takenIn = ['started'] as const;
  eventAt(at: number): RunEvent {
    return this.delayMs === undefined ? { type: 'release', at } : { type: 'release', at, ...this.dueAt(at) };
  }
  count(model: Model): void {
    model.state = this.back();
    model.releases += 1;
  }
}

export class Reschedule extends EventCommand {
  readonly takenIn = ['submitted', 'scheduled'] as const;
  eventAt(at: number): RunEvent {
    if (this.delayMs === undefined) return { type: 'reschedule', at };
    return { type: 'reschedule', at, ...this.dueAt(at) };
  }
  count(model: Model): void {
    model.state = this.back();
  }
}

/** An operator completes a run that waits. */
export class End extends EventCommand {
  readonly takenIn = ['submitted', 'scheduled'] as const;
  protected readonly as: 'completed' | 'failed' = 'completed';
  eventAt(at: number): RunEvent {
    return { type: 'end', at, as: this.as };
  }
  count(model: Model): void {
    model.state = this.as;
  }
}

/** An operator fails a run that waits. */
export class FailingEnd extends End {
  protected override readonly as = 'failed';
}

export class Stall extends EventCommand {
  readonly takenIn = ['started'] as const;
  eventAt(at: number): RunEvent {
    return { type: 'stall', at };
  }
  count(model: Model): void {
    model.state = 'stalled';
    model.stalls += 1;
  }
}

export class SharedStall extends EventCommand {
  readonly takenIn = ['started'] as const;
  eventAt(at: number): RunEvent {
    return { type: 'stall', at, isShared: true };
  }
  count(model: Model): void {
    model.state = 'stalled';
    model.releases += 1;
  }
}

export class Recover extends EventCommand {
  readonly takenIn = ['stalled'] as const;
  eventAt(at: number): RunEvent {
    return { type: 'recover', at, ...this.dueAt(at) };
  }
  count(model: Model): void {
    model.state = this.back();
  }
}

export class GiveUp extends EventCommand {
  readonly takenIn = ['stalled'] as const;
  eventAt(at: number): RunEvent {
    return { type: 'giveUp', at };
  }
  count(model: Model): void {
    model.state = 'failed';
  }
}

export class Cancel extends EventCommand {
  readonly takenIn = ['submitted', 'scheduled', 'started'] as const;
  eventAt(at: number): RunEvent {
    return { type: 'cancel', at };
  }
  count(model: Model): void {
    model.state = 'cancelled';
  }
}

export class Drop extends EventCommand {
  readonly takenIn = ['submitted', 'started'] as const;
  eventAt(at: number): RunEvent {
    return { type: 'drop', at };
  }
  count(model: Model): void {
    if (model.state === 'started') model.releases += 1;
    model.state = 'dropped';
  }
}

export class Limit extends EventCommand {
  readonly takenIn = ['submitted', 'started'] as const;
  eventAt(at: number): RunEvent {
    return this.delayMs === undefined ? { type: 'limit', at } : { type: 'limit', at, ...this.dueAt(at) };
  }
  count(model: Model): void {
    if (model.state === 'started') model.releases += 1;
    if (this.delayMs !== undefined) model.rateLimits += 1;
    model.state = this.delayMs === undefined ? 'rateLimited' : 'scheduled';
  }
}

/** A redrive resets the attempts, or keeps them. */
export class Redrive extends EventCommand {
  readonly takenIn: readonly RunState[] = ['failed', 'stalled', 'rateLimited'];
  protected readonly keepAttempts: boolean = false;
  eventAt(at: number): RunEvent {
    return { type: 'redrive', at, keepAttempts: this.keepAttempts };
  }
  count(model: Model): void {
    const none = { failures: 0, stalls: 0, releases: 0, rateLimits: 0, carried: 0 };
    if (!this.keepAttempts) Object.assign(model, none);
    model.state = 'submitted';
    model.redrives += 1;
  }
}

/** A redrive that keeps the attempts. */
export class KeepingRedrive extends Redrive {
  protected override readonly keepAttempts: boolean = true;
}
