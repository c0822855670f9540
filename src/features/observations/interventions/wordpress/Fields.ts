import type { ChangedField } from "../Domain.ts"
import type { WordPressState } from "../State.ts"
import { type Post, valueOf } from "./WordPress.ts"

/** A value of a change: as it was before, or as the change has it. */
type Side = "after" | "before"

const entities: Readonly<Record<string, string>> = { "&amp;": "&", "&gt;": ">", "&lt;": "<" }

/**
 * A value as a page shows it. WordPress takes blanks off the ends of titles, and where the user may not write HTML of all kinds `&`, `<` and `>` of
 * a title are stored as entities (`wp_kses`). Meta fields are stored as they come.
 */
export const shownOf = (name: string, value: string): string =>
  name === "title" ? value.replace(/&(?:amp|gt|lt);/g, (entity) => entities[entity] ?? entity).trim() : value

/** Whether two values of a field are one to WordPress; undefined is a value that is no text. */
export const isSame = (name: string, one: string | undefined, other: string | undefined): boolean =>
  one === undefined || other === undefined ? one === other : shownOf(name, one) === shownOf(name, other)

/** Which field of a post has neither one of these values nor what WordPress made of ours, as a sentence; undefined where each has one. */
export const unlikeOf = (
  { fields, stored }: Pick<WordPressState, "fields" | "stored">,
  post: Post,
  sides: ReadonlyArray<Side>
): string | undefined => {
  const unlike = fields.find((field) => {
    const value = valueOf(post, field.name)
    const ours = stored.filter(({ name }) => name === field.name).map(({ value }) => value)
    const known = [...sides.map((side) => field[side]), ...ours]
    return !known.some((text) => isSame(field.name, text, value))
  })
  return unlike === undefined ? undefined : `${unlike.name} has another value by now, which this change did not write`
}

/** The fields of a post whose value is not that of the side. */
export const otherThan = (fields: ReadonlyArray<ChangedField>, post: Post, side: Side): ReadonlyArray<ChangedField> =>
  fields.filter((field) => !isSame(field.name, valueOf(post, field.name), field[side]))
