import type { Point } from "./Point.ts"

/** Counts of things that were planted, found, reported falsely and missed. */
export interface Figure {
  readonly about: string
  planted: number
  found: number
  wrong: number
  missed: number
}

/** Adds points up by their subject. */
export class Figures {
  readonly #all = new Map<string, Figure>()

  add(points: ReadonlyArray<Point>): void {
    for (const { about, outcome } of points) {
      const figure = this.#all.get(about) ?? { about, planted: 0, found: 0, wrong: 0, missed: 0 }
      this.#all.set(about, figure)
      if (outcome !== "false") figure.planted += 1
      if (outcome === "found") figure.found += 1
      if (outcome === "false") figure.wrong += 1
      if (outcome === "missed") figure.missed += 1
    }
  }

  all(): ReadonlyArray<Figure> {
    return [...this.#all.values()]
  }

  of(about: string): Figure | undefined {
    return this.#all.get(about)
  }
}

const share = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole)

export const precision = ({ found, wrong }: Figure): number => share(found, found + wrong)
export const recall = ({ found, planted }: Figure): number => share(found, planted)
