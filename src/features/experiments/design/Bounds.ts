import { failure } from "../../../foundation/http/ApiError.ts"

/** Enough for 10,000 pages with paths of 300 characters. */
export const bytesOfPages = 4 * 1024 * 1024

/** 10,000 pages with six values each, the pages themselves, and as much again to spare. */
export const valuesOfPages = 100_000

/** Where an experiment's design lists pages. */
export const listsOfDesign = ["design.treatment.pages", "design.control.pages", "design.exclude"]

/** Errors of looking for the pages of a design's arms. */
export const noArms = failure("missing_data", "too_few_pages")

/** Errors of judging page totals. */
export const undecided = failure("missing_data", "too_few_pages", "not_assessable", "history_too_short")
