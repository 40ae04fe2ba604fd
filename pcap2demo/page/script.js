// Sorts the table by the column whose heading is clicked; a second click reverses the order.
document.querySelectorAll('th').forEach((th, column) => {
  const button = document.createElement('button');
  button.append(...th.childNodes);
  th.append(button);
  button.onclick = () => {
    const up = th.ariaSort !== 'ascending', body = th.closest('table').tBodies[0];
    const key = row => row.cells[column].dataset.key ?? row.cells[column].textContent;
    const order = (a, b) => isNaN(key(a) - key(b)) ? key(a).localeCompare(key(b)) : key(a) - key(b);
    document.querySelectorAll('th').forEach(other => other.removeAttribute('aria-sort'));
    th.ariaSort = up ? 'ascending' : 'descending';
    body.append(...[...body.rows].sort((a, b) => up ? order(a, b) : order(b, a)));
  };
});
