// Requests to the server. Relative URLs contain the token of the page.

export async function get(name) {
  const response = await fetch(`api/${name}`);
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

export async function post(name, body) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`api/${name}`, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}
