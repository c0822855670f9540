import { apiError } from "../../../foundation/http/ApiError.ts"
import { Conflict, Invalid } from "../../../foundation/schema/DomainError.ts"
import type { DesignFault } from "../statistics/design/Design.ts"

/** A field of a design that cannot be accepted, in a message that says so to readers of the terminal too. */
export const invalid = (path: string, message: string) =>
  new Invalid({ details: [{ message, path }], message: `${path} ${message}` })

/** The answer to a design that cannot be judged with the data that are there. */
export const refusal = (fault: DesignFault) =>
  apiError<DesignFault["code"]>(
    fault.code,
    fault.message,
    fault.code === "history_too_short" ? { needed_days: fault.needed_days } : {}
  )

/** No page total of a final day was imported. */
export const noTotals = apiError<"missing_data">(
  "missing_data",
  "The site has no page totals of final days. Rows of queries do not add up to them: import files with pages and without queries, a bulk export, or synchronise with Search Console"
)

export const tooFewPages = (message: string) => apiError<"too_few_pages">("too_few_pages", message)

export const noDesign = new Conflict({
  message: "The experiment has no design: send one with PATCH while it is a draft, or evaluate it with counts"
})

export const started = new Conflict({ message: "The experiment has already been started" })

export const notRunning = new Conflict({ message: "The experiment is not running: start it first" })

export const evaluated = new Conflict({ message: "The experiment has already been evaluated" })

/** Another request changed the draft between this one's look and its write. */
export const meanwhile = new Conflict({
  message: "The experiment was changed by another request at the same time: nothing was changed, read it and try again"
})
