import type { VNode } from 'preact';

interface BarsProps {
  readonly label: string;
  readonly counts: readonly number[];
  /** What one bar says when it is pointed at. */
  readonly titleOf?: (index: number) => string;
  /** `small` stands in a table. */
  readonly size?: 'small' | 'large';
}

/** One bar for each count, the highest as high as the picture. */
export function Bars({ label, counts, titleOf, size = 'large' }: BarsProps): VNode {
  const [width, height] = size === 'small' ? [96, 20] : [960, 96];
  const highest = Math.max(1, ...counts);
  const step = width / Math.max(counts.length, 1);
  return (
    <svg
      class={`bars ${size}`}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <line class="grid" x1="0" x2={width} y1={height} y2={height} />
      {counts.map((amount, index) => {
        const top = amount > 0 ? Math.min(height - 1, height - (amount / highest) * height) : height;
        return (
          <rect key={index} x={index * step} y={top} width={step * 0.8} height={height - top}>
            {titleOf === undefined ? null : <title>{titleOf(index)}</title>}
          </rect>
        );
      })}
    </svg>
  );
}

interface ShareProps {
  readonly share: number;
  /** Where a mark is. */
  readonly limit?: number;
  /** Shows it as what is wrong. */
  readonly isOver?: boolean;
}

/** A share from 0 to 1 as a line. */
export function Share({ share, limit, isOver = false }: ShareProps): VNode {
  return (
    <svg class="share" viewBox="0 0 96 8" preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" width="96" height="8" />
      <rect class={isOver ? 'over' : 'part'} width={Math.min(share, 1) * 96} height="8" />
      {limit === undefined ? null : <line x1={limit * 96} x2={limit * 96} y1="0" y2="8" />}
    </svg>
  );
}
