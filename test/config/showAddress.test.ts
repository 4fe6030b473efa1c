import { showAddress } from "../../provider/src/config/index.js";

test.each([
  ["https://jobs.example.com", "https://jobs.example.com"],
  ["https://jobs.example.com/", "https://jobs.example.com"],
  ["https://jobs.example.com:8443/prefix", "https://jobs.example.com:8443 with a path (not shown)"],
  ["http://127.0.0.1:4010", "http://127.0.0.1:4010"],
  ["https://SECRET@jobs.example.com", "https://jobs.example.com with a user (not shown)"],
  ["https://user:SECRET@jobs.example.com/prefix", "https://jobs.example.com with a user and a path (not shown)"],
  ["https://:SECRET@jobs.example.com", "https://jobs.example.com with a user (not shown)"],
  ["https:SECRET@jobs.example.com", "https://jobs.example.com with a user (not shown)"],
  [
    "https://jobs.example.com/SECRET?access_token=SECRET",
    "https://jobs.example.com with a path and a query (not shown)",
  ],
  [
    "https://u@jobs.example.com?a=SECRET#SECRET",
    "https://jobs.example.com with a user and a query and a fragment (not shown)",
  ],
  ["https://jobs.example.com#SECRET", "https://jobs.example.com with a fragment (not shown)"],
])("%s is shown as %s", (text, shown) => {
  expect(showAddress(text)).toBe(shown);
});

test.each([
  "SECRET",
  "SECRET@jobs.example.com",
  "user:SECRET@jobs.example.com",
  "https://user:SEC/RET@jobs.example.com",
  "https://SEC/RET@jobs.example.com",
  "https://SECRET@",
  "https://SECRET:SECRET:SECRET",
  "https//SECRET@jobs.example.com",
  "mailto:SECRET@jobs.example.com",
  "SECRET://jobs.example.com",
  "",
])("of %s nothing is shown, and why", (text) => {
  expect(showAddress(text)).toMatch(
    /^\(not shown: it (cannot be parsed as an http address|has an @ behind a slash)\)$/,
  );
});
