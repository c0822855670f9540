import type { ChangedField } from "../Domain.ts"
import { type Post, valueOf } from "./WordPress.ts"

/** A value of a change: as it was before, or as the change has it. */
type Side = "after" | "before"

/** Which field of a post has none of these values, as a sentence; undefined where each has one. */
export const unlikeOf = (
  fields: ReadonlyArray<ChangedField>,
  post: Post,
  sides: ReadonlyArray<Side>
): string | undefined => {
  const unlike = fields.find((field) => {
    const value = valueOf(post, field.name)
    return !sides.some((side) => field[side] === value)
  })
  return unlike === undefined ? undefined : `${unlike.name} has another value by now, which this change did not write`
}

/** The fields of a post whose value is not that of the side. */
export const otherThan = (fields: ReadonlyArray<ChangedField>, post: Post, side: Side): ReadonlyArray<ChangedField> =>
  fields.filter((field) => valueOf(post, field.name) !== field[side])
