import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"

const requests = Metric.counter("findable_http_requests_total", {
  description: "Requests answered, by method, route and status",
  incremental: true
})

const seconds = Metric.histogram(
  "findable_http_request_seconds",
  MetricBoundaries.fromIterable([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]),
  "Time from the first byte of a request to its answer"
)

/** Counts and times an exchange under its route's pattern, so that ids in paths make no series of their own. */
export const observed =
  (method: string, route: string | undefined) =>
  <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.flatMap(Effect.timed(app), ([duration, response]) =>
      Effect.as(
        Effect.zipRight(
          Metric.update(
            requests.pipe(
              Metric.tagged("method", method),
              Metric.tagged("route", route ?? "none"),
              Metric.tagged("status", String(response.status))
            ),
            1
          ),
          Metric.update(seconds, Duration.toSeconds(duration))
        ),
        response
      )
    )
