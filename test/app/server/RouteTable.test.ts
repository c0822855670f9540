import { describe, expect, test } from "bun:test"
import { nearestRoute, routesOf, searchParams } from "../../../src/app/server/RouteTable.ts"

const find = routesOf([
  { method: "GET", path: "/things/:id" },
  { method: "GET", path: "/things/newest" },
  { method: "GET", path: "/things/:id/parts/:part" },
  { method: "POST", path: "/things/:id" }
])

const found = (path: string) => {
  const match = find(path)
  return match && { methods: Array.from(match.route.methods.keys()), params: match.params, path: match.route.path }
}

describe("an unknown path", () => {
  const nearest = nearestRoute([
    "/",
    "/healthz",
    "/docs/guides/:guide",
    "/api/v1/audits/:id",
    "/api/v1/keywords",
    "/api/v1/keywords/:id",
    "/api/v1/projects",
    "/api/v1/projects/:project_id",
    "/api/v1/projects/:project_id/site-health/latest",
    "/api/v1/projects/:project_id/site-health/runs",
    "/api/v1/runs/:run_id"
  ])
  const id = crypto.randomUUID()
  const meant = {
    "/api/v1/keyword": "/api/v1/keywords",
    "/api/v1/Projects": "/api/v1/projects",
    "/api/v1/projects/": "/api/v1/projects",
    "/api/v2/projects": "/api/v1/projects",
    "/v1/projects": "/api/v1/projects",
    "/projects": "/api/v1/projects",
    [`/api/v1/project/${id}`]: "/api/v1/projects/{project_id}",
    [`/api/v1/projects/${id}/site_health/runs`]: "/api/v1/projects/{project_id}/site-health/runs",
    [`/api/v1/projects/${id}/runs`]: "/api/v1/projects/{project_id}/site-health/runs",
    [`/api/v1/run/${id}`]: "/api/v1/runs/{run_id}",
    "/health": "/healthz"
  }
  for (const [path, route] of Object.entries(meant)) {
    test(`suggests the intended route: ${path.replace(id, "ID")}`, () => {
      expect(nearest(path)).toBe(route)
    })
  }

  test("suggests some route, however strange the path is", () => {
    for (const path of ["", "//", "/%zz", `/${"a/".repeat(100)}`, `/${"a".repeat(10_000)}`, "/__proto__/constructor"]) {
      expect(nearest(path)).toBeString()
    }
  })
})

describe("the route of a path", () => {
  test("has all methods of the path, and HEAD with GET", () => {
    expect(found("/things/7")).toEqual({
      methods: ["GET", "HEAD", "POST"],
      params: { id: "7" },
      path: "/things/:id"
    })
  })

  test("with a literal segment takes precedence over a parameter", () => {
    expect(found("/things/newest")?.path).toBe("/things/newest")
  })

  test("has decoded parameters, and unchanged parameters where they cannot be decoded", () => {
    expect(found("/things/a%20b/parts/%2F")?.params).toEqual({ id: "a b", part: "/" })
    expect(found("/things/%zz")?.params).toEqual({ id: "%zz" })
  })

  test("does not exist for more or fewer segments, or for an empty parameter", () => {
    for (const path of ["/things", "/things/", "/things/7/", "/things/7/parts", "//things/7"]) {
      expect(found(path)).toBeUndefined()
    }
  })
})

test("query parameters are decoded, a repeated parameter is a list, and no name is special", () => {
  expect({ ...searchParams("a=1&b=x%20y+z&a=2&c&a=3&url=https://example.com/?d=4") }).toEqual({
    a: ["1", "2", "3"],
    b: "x y z",
    c: "",
    url: "https://example.com/?d=4"
  })
  expect({ ...searchParams("") }).toEqual({})
  expect(Reflect.get(searchParams("toString=1"), "toString")).toBe("1")
  expect(Reflect.get(searchParams("a=1"), "toString")).toBeUndefined()
})
