/** Colours of the terminal report. */
export interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly yellow: (text: string) => string
  readonly green: (text: string) => string
}

const sgr = (open: number, close: number) => (text: string) => `\u001b[${open}m${text}\u001b[${close}m`
const plain = (text: string): string => text

/** ANSI colours, or none. */
export const paintOf = (color: boolean): Paint =>
  color
    ? { bold: sgr(1, 22), dim: sgr(2, 22), red: sgr(31, 39), yellow: sgr(33, 39), green: sgr(32, 39) }
    : { bold: plain, dim: plain, red: plain, yellow: plain, green: plain }
