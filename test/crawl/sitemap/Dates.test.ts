import { expect, test } from "bun:test"
import { noDates, withDate } from "../../../src/crawl/sitemap/Forms.ts"

const of = (...written: ReadonlyArray<string | null>) =>
  written.reduce((dates, each, index) => withDate(dates, `u${index}`, each), noDates)

test("one date is known as the only one until another comes", () => {
  expect(of("2024-05-31", "2024-05-31")).toMatchObject({ dated: 2, only: "2024-05-31" })
  expect(of("2024-05-31", "2024-06-01", "2024-05-31")).toMatchObject({ dated: 3, only: null })
  expect(of("2024-05-31", null)).toMatchObject({ dated: 1, only: "2024-05-31" })
})

test("the latest date is told with its address; a year or month stands for its first day", () => {
  expect(of("2024-05-31", "2031", "2030-12-31").latest).toEqual({
    url: "u1",
    written: "2031",
    millis: Date.UTC(2031, 0, 1)
  })
  expect(of("2031-02").latest?.millis).toBe(Date.UTC(2031, 1, 1))
  expect(of("2024-05-31T10:00:00+02:00").latest?.millis).toBe(Date.UTC(2024, 4, 31, 8))
  expect(of("Tue, 02 Jan 2024 03:04:05 GMT").latest?.millis).toBe(Date.UTC(2024, 0, 2, 3, 4, 5))
})

test("what cannot be read is no date", () => {
  expect(of("yesterday", "05/31/2999", "2999-02-30", "2999-05-31T10:00:00")).toEqual(noDates)
})
