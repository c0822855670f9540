import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricKey from "effect/MetricKey"

const boundaries = MetricBoundaries.fromIterable([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10])

const requestsOf = (method: string, route: string, status: string) =>
  Metric.fromMetricKey(
    MetricKey.counter("findable_http_requests_total", {
      description: "Requests answered, by method, route and status",
      incremental: true
    }).pipe(MetricKey.tagged("method", method), MetricKey.tagged("route", route), MetricKey.tagged("status", status))
  )

const secondsOf = (route: string) =>
  Metric.fromMetricKey(
    MetricKey.histogram(
      "findable_http_request_seconds",
      boundaries,
      "Time from the first byte of a request to its answer, by route"
    ).pipe(MetricKey.tagged("route", route))
  )

const series = new Map<string, (seconds: number) => Effect.Effect<void>>()

const seriesOf = (method: string, route: string, status: string) => {
  const requests = requestsOf(method, route, status)
  const durations = secondsOf(route)
  const counted = Metric.update(requests, 1)
  return (seconds: number) => Effect.zipRight(counted, Metric.update(durations, seconds))
}

/**
 * Counts and times a request under its route's pattern, so that ids in paths make no series. A series is looked up by one string, because the platform
 * compares tags one by one each time.
 */
export const observe = (
  method: string,
  route: string | undefined,
  status: number,
  seconds: number
): Effect.Effect<void> => {
  const name = `${method} ${status} ${route ?? "none"}`
  const known = series.get(name)
  const update = known ?? seriesOf(method, route ?? "none", String(status))
  if (known === undefined) series.set(name, update)
  return update(seconds)
}
