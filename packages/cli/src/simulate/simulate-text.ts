import type { Timeline } from '@retry/core/simulate';
import { renderTimeline } from '@retry/core/simulate';
import { type Screen, wrap } from '../terminal/screen.ts';

/** The columns of the titles: `load`, `goodput`, …. */
const TITLE_COLUMNS = 10;

const TITLE = /^([a-z]+) +/;

/** Returns a timeline in lines of the screen's width. */
export function simulateText(timeline: Timeline, screen: Screen): string {
  const lines = renderTimeline(timeline, { width: screen.width - TITLE_COLUMNS }).split('\n');
  return lines.map((line) => lineText(line, screen)).join('\n');
}

function lineText(line: string, screen: Screen): string {
  const [, title = ''] = TITLE.exec(line) ?? [];
  if (title === 'load' || title === 'goodput') {
    const style = title === 'load' ? 'warning' : 'good';
    return line.slice(0, TITLE_COLUMNS) + screen.paint(style, line.slice(TITLE_COLUMNS));
  }
  const indent = ' '.repeat(TITLE_COLUMNS);
  const text = wrap(line.slice(TITLE_COLUMNS), screen.width - TITLE_COLUMNS)
    .split('\n')
    .map((part, index) => (index === 0 ? part : indent + part));
  const [first = '', ...more] = text;
  const rest = title === 'advice' ? [first, ...more].map((part) => paintAfter(part, indent, screen)) : text;
  return line.slice(0, TITLE_COLUMNS) + rest.join('\n');
}

function paintAfter(text: string, indent: string, screen: Screen): string {
  return text.startsWith(indent)
    ? indent + screen.paint('strong', text.slice(indent.length))
    : screen.paint('strong', text);
}
