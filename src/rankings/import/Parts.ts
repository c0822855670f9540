import type { Batch } from "../RawRow.ts"

/** Rows of one file and shape; a later part stands against an earlier one. */
export interface Part {
  readonly number: number
  readonly shape: string
  readonly exact: boolean
}

/** Numbers the parts of an import in the order in which they are met. Stateful: one import has one of these. */
export const numbering = () => {
  const parts: Array<Part & { readonly file: number }> = []
  const of = (file: number, { exact, shape }: Batch): Part => {
    const known = parts.find((part) => part.file === file && part.shape === shape && part.exact === exact)
    if (known !== undefined) return known
    const part = { exact, file, number: parts.length, shape }
    parts.push(part)
    return part
  }
  return { all: (): ReadonlyArray<Part> => parts, of }
}
