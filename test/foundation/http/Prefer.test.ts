import { expect, test } from "bun:test"
import * as Option from "effect/Option"
import { waitOf } from "../../../src/foundation/http/Prefer.ts"

test("the wait of a Prefer header is found among other preferences, and limited to the endpoint's maximum", () => {
  const cases: ReadonlyArray<readonly [string | undefined, number | null]> = [
    [undefined, null],
    ["", null],
    ["wait=10", 10],
    ["Wait = 10", 10],
    ['respond-async, wait="7"; x', 7],
    ["wait=0", 0],
    ["wait=600", 25],
    ["wait=-1", null],
    ["wait=1.5", null],
    ["await=3", null]
  ]
  for (const [header, seconds] of cases)
    expect({ header, seconds: Option.getOrNull(waitOf(header, { most: 25, when: "" })) }).toEqual({ header, seconds })
})
