/** Returns a share in percent: `12.5 %`. */
export function percent(share: number): string {
  return `${Math.round(share * 1_000) / 10} %`;
}

/** Returns a number with its thousands apart: `12 345`. */
export function count(amount: number): string {
  return amount.toLocaleString('en').replaceAll(',', '\u202f');
}
