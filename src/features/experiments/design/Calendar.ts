import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type * as Day from "../../../foundation/schema/Day.ts"
import { dayAt } from "../../rankings/FinalDays.ts"
import type { Assignment, StoredDesign } from "./Design.ts"

/** The lengths of a design's windows, in days. */
export type Lengths = Pick<StoredDesign, "post_days" | "pre_days" | "settle_days">

/** The first and the last day of a design: from the first before the change to the last that is compared after it. */
export const daysOf = (change: Day.DayNumber, { post_days, pre_days, settle_days }: Lengths) => ({
  first: change - pre_days,
  last: change + settle_days + post_days - 1
})

/** The moment of a timestamp that the database wrote. */
const momentOf = (text: string): DateTime.Utc => Option.getOrThrow(Option.map(DateTime.make(text), DateTime.toUtc))

/** Whether the service assigned the pages before the change took effect. The day of the change itself still counts: its numbers are not known before three days have passed. */
export const isRandomised = (assignment: Assignment | null, change: Day.DayNumber): boolean =>
  assignment !== null && dayAt(momentOf(assignment.assigned_at)) <= change
