/** Platform adapter: what the operating system knows of this process, under the names that Prometheus' own clients give it. */

const started = performance.timeOrigin / 1000

const line = (name: string, type: "counter" | "gauge", help: string, value: number, labels = "") =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name}${labels} ${value}\n`

/** Processor time, memory, start and version of this process, as Prometheus text. */
export const processMetrics = (version: string): string => {
  const { system, user } = process.cpuUsage()
  return [
    line("process_cpu_seconds_total", "counter", "Processor time used, in seconds", (system + user) / 1e6),
    line("process_resident_memory_bytes", "gauge", "Memory in use", process.memoryUsage.rss()),
    line("process_start_time_seconds", "gauge", "When it started, as a Unix time", Math.round(started * 1000) / 1000),
    line(
      "findable_build_info",
      "gauge",
      "The version that runs",
      1,
      `{version="${version}",runtime="bun ${Bun.version}"}`
    )
  ].join("")
}
