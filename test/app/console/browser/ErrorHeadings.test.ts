import { describe, expect, test } from "bun:test"
import { headingOf } from "../../../../src/app/console/browser/parts/ErrorHeadings.ts"
import { codes } from "../../../../src/foundation/http/ApiError.ts"

describe("the heading of an error", () => {
  test("is chosen by its code, not by its status", () => {
    expect(["validation_error", "too_few_pages", "conflict", "not_configured"].map(headingOf)).toEqual([
      "Check your input",
      "Not enough data yet",
      "Can’t do this right now",
      "Setup required"
    ])
  })

  test('is "Something went wrong" for errors of the server only', () => {
    const wrong = Object.entries(codes).filter(([code]) => headingOf(code) === "Something went wrong")
    expect(wrong.map(([code]) => code)).toEqual(["method_not_allowed", "unsupported_media_type", "internal_error"])
  })

  test("says that a response without a code does not come from the API", () => {
    expect([headingOf("502"), headingOf("no_answer"), headingOf("code_of_a_later_version")]).toEqual([
      "Unexpected response",
      "No response",
      "Something went wrong"
    ])
  })
})
