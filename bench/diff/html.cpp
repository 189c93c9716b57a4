// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/diff/reports.hpp"

namespace diff {
namespace {

constexpr const char* style =
    "body{font:14px/1.45 system-ui,sans-serif;margin:2em auto;max-width:75em;padding:0 1em;"
    "color:#1c1f26;background:#fafafa}h1{font-size:1.35em}table{border-collapse:collapse;width:100%"
    "}"
    "th,td{padding:.3em .6em;text-align:right;border-bottom:1px solid #ddd;"
    "font-variant-numeric:tabular-nums}th{background:#eceef2;position:sticky;top:0}"
    "td.name,th.name{text-align:left;font-family:ui-monospace,monospace;word-break:break-all}"
    "img{image-rendering:pixelated;width:192px;height:64px;background:#0c0c28;display:block}"
    ".equal{color:#1a7f37}.rounding{color:#0a6c8a}.layout,.wrong,.changed{color:#b42318;"
    "font-weight:600}tr.first td{background:#fff1d6}li{margin:.2em 0}"
    "@media(prefers-color-scheme:dark){body{background:#14161b;color:#e3e6ec}th{background:#23262e}"
    "th,td{border-color:#333}tr.first td{background:#3a2f14}.equal{color:#57c878}"
    ".rounding{color:#5cc3e0}.layout,.wrong,.changed{color:#ff8b7d}}";

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string html_cell(const std::string& text) {
  return "<td>" + escaped(text) + "</td>";
}

std::string html_row(const Row& row, bool first) {
  const tessera::Comparison& c = row.comparison;
  std::string text = first ? "<tr class=first id=first>" : "<tr>";
  text += html_cell(std::to_string(row.place));
  text += "<td class=name>" + escaped(row.name) + "</td>" + html_cell(dumps::shape_text(row.shape));
  text += html_cell(row.types) + html_cell(figure(c.sensitive)) + html_cell(figure(c.insensitive));
  text += html_cell(figure(c.max_abs)) + html_cell(figure(c.cosine));
  text += html_cell(row.growth == 0 ? "" : figure(row.growth));
  text += std::string("<td class=") + tessera::name(row.judgement.verdict) + ">" +
          escaped(row.kind()) + "</td><td>";
  if (row.heat.rows != 0 && row.judgement.verdict != tessera::Verdict::equal)
    text += "<img alt=\"errors of " + escaped(row.name) + "\" src=\"" + picture_address(row.heat) +
            "\">";
  return text + "</td></tr>\n";
}

std::string html_list(const char* heading, const std::vector<std::string>& items) {
  if (items.empty()) return "";
  std::string text = std::string("<p>") + heading + "</p><ul>";
  for (const std::string& item : items) text += "<li>" + escaped(item) + "</li>";
  return text + "</ul>\n";
}

}  // namespace

std::string html(const Report& report, const std::string& computed, const std::string& reference) {
  const Row* first = report.first_divergence();
  std::string text =
      "<!doctype html><html lang=en><meta charset=utf-8><title>tessera-diff</title><style>";
  text += style;
  text += "</style><h1>" + escaped(report.verdict()) + "</h1><p>" + escaped(computed) +
          " against the reference " + escaped(reference) + ": " + escaped(report.counts()) + ".";
  if (first != nullptr) text += " <a href=\"#first\">To the first divergence.</a>";
  text += "</p>\n";
  if (first != nullptr) text += html_list("What is known about it:", findings(*first));
  text +=
      "<table><thead><tr><th>#<th class=name>tensor<th>shape<th>type<th>sensitive<th>insensitive"
      "<th>max abs<th>cosine<th>growth<th>verdict<th>errors, dark 1e-8 to bright 1</tr></thead>\n";
  for (const Row& row : report.rows) text += html_row(row, &row == first);
  text += "</table>\n" + html_list("Only in the reference:", report.missing) +
          html_list("Not in the reference:", report.extra);
  return text + "</html>\n";
}

}  // namespace diff
